/** Agents that call the service again over HTTP, through a tool or their endpoint: how deep they are nested travels with the requests. */
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { operations } from '../../generated/operations.js';
import { eventually } from '../helpers/eventually.js';
import { startHttpServer } from '../helpers/servers/http-server.js';
import { saying, useAskingAgents } from './asking-agents.js';
import { message } from './service-with-model.js';

const { fixture, tenant, newAgent, script, ask, invocations } = useAskingAgents();

const variables = ['LOOP_KEY', 'LOOP_PREFER'];

beforeEach(() => {
  process.env['LOOP_KEY'] = `Bearer ${tenant().key}`;
  process.env['LOOP_PREFER'] = 'respond-async';
});
afterEach(() => {
  for (const name of variables) Reflect.deleteProperty(process.env, name);
});

const addressOf = (agent: string) =>
  `${fixture.service.url}${operations.invokeAgent.path.replace('{agent_id}', agent)}`;

/** A tool that invokes an agent with the key of the account. */
const invoking = (agent: string, headers: object = {}) => ({
  http: [
    {
      name: 'again',
      description: 'Asks again.',
      method: 'POST' as const,
      url: addressOf(agent),
      parameters: {
        type: 'object' as const,
        required: ['message'],
        properties: { message: { type: 'string' } },
      },
      headers: { Authorization: '${env:LOOP_KEY}', ...headers },
      timeout: '60s',
    },
  ],
});

const again = { calls: [{ name: 'again', arguments: { message: 'Again.' } }] };

const toldLast = () =>
  fixture.provider
    .prompts()
    .flatMap(({ messages }) => messages)
    .flatMap((said) => (said.role === 'tool' ? said.text : []));

const refusal = /status 409.*Agents call each other in a loop/;

describe('an agent that invokes itself with a tool', () => {
  test('is refused the sixth time, soon, and a neighbour is not slowed', async () => {
    await newAgent('loop', { tools: invoking('loop') });
    script({ loop: [again, saying('Enough.')] });
    const neighbour = await fixture.service.tenant();
    await neighbour.newAgent({ name: 'echo' });
    const startedAt = performance.now();
    const asked = ask('loop');
    const { data } = await neighbour.api.expect('invokeAgent', 200, message('echo', 'Hi'));
    expect(data.duration_ms).toBeLessThan(1_000);
    expect((await asked).response).toBe('Enough.');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect((await invocations()).map(({ status }) => status)).toEqual(Array(6).fill('succeeded'));
    expect(toldLast().filter((said) => refusal.test(said))).toHaveLength(1);
  });

  test('asynchronously ends, too', async () => {
    await newAgent('loop', { tools: invoking('loop', { Prefer: '${env:LOOP_PREFER}' }) });
    script({ loop: [again, saying('Enough.')] });
    const headers = { prefer: 'respond-async' };
    await tenant().api.expect('invokeAgent', 202, message('loop', 'Begin.', { headers }));
    await eventually(async () => {
      const rows = await invocations();
      expect(rows.map(({ hops }) => hops)).toEqual([0, 1, 2, 3, 4, 5]);
      expect(rows.every(({ status }) => status === 'succeeded')).toBe(true);
    });
    expect(toldLast().filter((said) => refusal.test(said))).toHaveLength(1);
  });

  test('through an agent that it asks ends, too', async () => {
    await newAgent('boss', { asks: ['loop'] });
    await newAgent('loop', { tools: invoking('boss') });
    const asking = { calls: [{ name: 'ask_loop', arguments: { message: 'Again.' } }] };
    script({ boss: [asking, saying('Enough.')], loop: [again, saying('Enough.')] });
    await ask('boss');
    expect(await invocations()).toHaveLength(12);
  });
});

test('an agent behind an endpoint that sends the header on ends, too', async () => {
  const states: unknown[] = [];
  const server = await startHttpServer((req, res) => {
    void (async () => {
      const { message: said } = JSON.parse(await text(req)) as { message: string };
      const tracestate = String(req.headers['tracestate']);
      states.push(tracestate);
      const response = await fetch(addressOf('mine'), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${tenant().key}`,
          'content-type': 'application/json',
          tracestate,
        },
        body: JSON.stringify({ message: said }),
      });
      const answer = response.ok ? 'Passed on.' : 'Refused.';
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ response: answer }));
    })();
  });
  await newAgent('mine', { model: 'http/mine', endpoint: { url: server.url } });
  expect((await ask('mine')).response).toBe('Passed on.');
  expect(states).toEqual([1, 2, 3, 4, 5, 6].map((hops) => `agent-hosting=d:${hops}`));
  await server.stop();
});

describe('what a client says itself', () => {
  const invoke = (tracestate: string) =>
    tenant().api.call('invokeAgent', message('echo', 'Hi', { headers: { tracestate } }));

  test.each([
    '',
    'garbage',
    'agent-hosting=d:-1',
    'agent-hosting=d:1e9',
    'agent-hosting',
    'x=agent-hosting=d:9',
  ])('is ignored if it is garbage: %p', async (tracestate) => {
    await newAgent('echo', { model: 'builtin/echo' });
    expect(await invoke(tracestate)).toMatchObject({ status: 200 });
  });

  test('restricts only that client, among the members of others', async () => {
    await newAgent('echo', { model: 'builtin/echo' });
    expect(await invoke('vendor=1, agent-hosting=d:5 ,other=2')).toMatchObject({ status: 200 });
    expect(await invoke('vendor=1,agent-hosting=d:999')).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', retryable: false } },
    });
    expect(await invocations()).toHaveLength(1);
  });
});
