/** An agent that is asked ends with the invocation that asks, however that ends, and its calls go on side by side. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { apiClient, type Call } from '../helpers/service/api.js';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { reply } from '../helpers/model-provider/reply.js';
import { asking, saying, silent, useAskingAgents } from './asking-agents.js';
import { message } from './service-with-model.js';

const { fixture, tenant, newAgent, script, ask, resultsOf, invocations } = useAskingAgents();
const other = useFixture(() => fixture.service.another());

const keyed = (name: string, headers: Call['headers'] = {}): Call =>
  message(name, 'Begin.', { headers: { 'idempotency-key': randomUUID(), ...headers } });

/** A tree of 1, 2 and 4 agents whose leaves never answer. */
async function silentTree(settings: object = {}) {
  await newAgent('root', { asks: ['mid'], ...settings });
  await newAgent('mid', { asks: ['leaf'] });
  await newAgent('leaf');
  script({
    root: [asking(['mid', 'A'], ['mid', 'B']), saying('Done.')],
    mid: [asking(['leaf', 'A'], ['leaf', 'B'])],
    leaf: [silent],
  });
}

/** The leaves wait for their model. */
const untilSilent = () => fixture.provider.asked(7);

/** All runs of the tree have ended. */
const ended = (count: number) =>
  eventually(async () => {
    const rows = await invocations();
    expect(rows).toHaveLength(count);
    expect(rows.every(({ finishedAt }) => finishedAt !== null)).toBe(true);
    return rows.map(({ agent, status, errorCode }) => `${agent} ${errorCode ?? status}`).sort();
  });

const cancelledTree = [
  'leaf cancelled',
  'leaf cancelled',
  'leaf cancelled',
  'leaf cancelled',
  'mid cancelled',
  'mid cancelled',
];

describe('a whole tree ends within two seconds', () => {
  const cancel = (call: Call) =>
    apiClient(other.url, tenant().key).call('invokeAgent', {
      ...call,
      headers: { ...call.headers, prefer: 'cancel' },
    });

  test.each<[string, Record<string, string>, number]>([
    ['a plain', {}, 409],
    ['an asynchronous', { prefer: 'respond-async' }, 202],
  ])('if %s request is cancelled at another instance', async (_, headers, status) => {
    await silentTree();
    const call = keyed('root', headers);
    const asked = tenant().api.call('invokeAgent', call);
    await untilSilent();
    const startedAt = performance.now();
    expect(await cancel(call)).toMatchObject({ status: 202 });
    await Promise.all(fixture.provider.received.slice(-4).map(({ closed }) => closed));
    expect(await ended(7)).toEqual([...cancelledTree, 'root cancelled']);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(await asked).toMatchObject({ status });
  });

  test('if the client disconnects', async () => {
    await silentTree();
    const client = new AbortController();
    const asked = tenant().api.call(
      'invokeAgent',
      message('root', 'Begin.', { signal: client.signal }),
    );
    await untilSilent();
    client.abort();
    await expect(asked).rejects.toThrow();
    expect(await ended(7)).toEqual([...cancelledTree, 'root cancelled']);
  });

  test('if the time of the first one is up', async () => {
    await silentTree({ timeoutMs: 1_500 });
    const startedAt = performance.now();
    const { error } = await tenant().api.expect('invokeAgent', 504, message('root', 'Begin.'));
    expect(error.code).toBe('timeout');
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    const rows = await ended(7);
    expect(rows.filter((row) => row.endsWith('timeout'))).toHaveLength(7);
  });
});

test('the log of a call that was interrupted names the invocation, too', async () => {
  await silentTree({ timeoutMs: 1_500 });
  await tenant().api.expect('invokeAgent', 504, message('root', 'Begin.'));
  const rows = await invocations();
  const root = rows.find(({ agent }) => agent === 'root');
  const entries = await fixture.service.database.prisma.logEntry.findMany({
    where: { requestId: root?.id ?? '', message: { startsWith: 'Tool ask_mid interrupted' } },
  });
  const children = rows.filter(({ agent }) => agent === 'mid').map(({ id }) => id);
  expect(
    entries
      .map(({ metadata }) => (metadata as { child_request_id: string }).child_request_id)
      .sort(),
  ).toEqual(children.sort());
});

describe('an answer is awaited no longer than', () => {
  test("the tool's timeout", async () => {
    await newAgent('boss', { asks: [{ name: 'clerk', timeout: '300ms' }] });
    await newAgent('clerk');
    script({ boss: [asking(['clerk', 'Well?']), saying('No answer.')], clerk: [silent] });
    expect((await ask('boss')).response).toBe('No answer.');
    expect(resultsOf('boss')).toEqual([expect.stringContaining('no result within 300 ms')]);
    expect(await ended(2)).toEqual(['boss succeeded', 'clerk timeout']);
  });

  test("the agent's own timeout", async () => {
    await newAgent('boss', { asks: ['clerk'] });
    await newAgent('clerk', { timeoutMs: 300 });
    script({ boss: [asking(['clerk', 'Well?']), saying('No answer.')], clerk: [silent] });
    expect((await ask('boss')).response).toBe('No answer.');
    expect(resultsOf('boss')).toEqual(['The agent did not answer within 0.3 seconds.']);
  });
});

test('the calls of one step run side by side', async () => {
  await newAgent('boss', { asks: ['clerk'] });
  await newAgent('clerk');
  script({
    boss: [asking(['clerk', 'A'], ['clerk', 'B'], ['clerk', 'C'], ['clerk', 'D']), saying('Done.')],
    clerk: [
      async (res, request) => {
        await fixture.provider.asked(1 + 4);
        await reply(saying('All of us.'))(res, request);
      },
    ],
  });
  await ask('boss');
  expect(resultsOf('boss')).toEqual(Array(4).fill('All of us.'));
});

test('those that wait for others never hold them up, nor another account, and take no place of the account', async () => {
  const wide = Array.from({ length: 32 }, (_, index) => ['mid', `${index}`] as const);
  await newAgent('root', { asks: ['mid'] });
  await newAgent('mid', { asks: ['leaf'] });
  await newAgent('leaf');
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const neighbour = await fixture.service.tenant({ tier: 'free' });
  const agents = [{ name: 'echo', description: 'Echoes.' }];
  const options = { tools: { maxSteps: 8, agents } };
  await neighbour.newAgent({ name: 'other', model: 'local/other', options });
  await neighbour.newAgent({ name: 'echo' });
  script({
    root: [asking(...wide), saying('Done.')],
    mid: [asking(['leaf', 'A'], ['leaf', 'B']), saying('Mid.')],
    leaf: [
      async (res, request) => {
        await gate;
        await reply(saying('Leaf.'))(res, request);
      },
    ],
    other: [asking(['echo', 'Hello.']), saying('Heard.')],
  });
  const first = ask('root');
  // The others of the 64 leaves wait for these.
  await fixture.provider.asked(1 + 32 + 32);
  const startedAt = performance.now();
  const { data } = await neighbour.api.expect('invokeAgent', 200, message('other', 'Hi'));
  expect(data.response).toBe('Heard.');
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect(fixture.provider.prompts().filter(({ model }) => model === 'leaf')).toHaveLength(32);
  open();
  expect((await first).response).toBe('Done.');
  expect(await invocations()).toHaveLength(1 + 32 + 64);
}, 60_000);
