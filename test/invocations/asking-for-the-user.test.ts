/** What agents that are asked get of the request, and of the schedule, that runs the agent that asks. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { insertWebhook } from '../helpers/database/rows.js';
import { tablesContaining } from '../helpers/database/tables-containing.js';
import { eventually } from '../helpers/eventually.js';
import { type HttpServer, startHttpServer } from '../helpers/servers/http-server.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { insertSchedule } from '../schedules/due-schedules.js';
import { asking, saying, silent, useAskingAgents } from './asking-agents.js';
import { resume as approval, type Resumption } from './careful-agents.js';
import { recordsOnceFinished } from './service-with-model.js';

const { fixture, tenant, newAgent, script, ask, resultsOf, invocations } = useAskingAgents();

let shop: HttpServer;
const authorizations: (string | undefined)[] = [];
const paths: (string | undefined)[] = [];
let says = 'Two orders.';

beforeAll(async () => {
  shop = await startHttpServer((req, res) => {
    authorizations.push(req.headers.authorization);
    paths.push(req.url);
    res.end(says);
  });
});
afterAll(() => shop.stop());
beforeEach(() => {
  authorizations.length = 0;
  paths.length = 0;
  says = 'Two orders.';
});

const operator = () => operatorInProcess(fixture.service);

async function operate(...command: string[]): Promise<void> {
  const where = { id: tenant().accountId };
  const { name } = await fixture.service.database.prisma.account.findUniqueOrThrow({ where });
  const { code } = await operator().run([...command, '--account', name]);
  expect(code).toBe(0);
}

const orders = (settings: object = {}) => ({
  name: 'orders',
  description: 'The orders.',
  method: 'GET' as const,
  url: `${shop.url}/orders`,
  parameters: { type: 'object' as const },
  timeout: '10s',
  ...settings,
});
const ofToken = { headers: { Authorization: '${caller.token}' } };
const callOrders = { calls: [{ name: 'orders', arguments: {} }] };
/** Approves its only call. */
const resume = (name: string, requestId: string, how: Resumption) =>
  tenant().api.expect('invokeAgent', 200, approval({ name }, requestId, how));
const withToken = (value: string) => ({ 'x-tool-authorization': value });

describe("the caller's token", () => {
  test('of whoever approves the question is that of the tools of the agent that is asked', async () => {
    await newAgent('boss', { asks: [{ name: 'clerk', approval: 'caller' }] });
    await newAgent('clerk', { tools: { http: [orders(ofToken)] } });
    script({
      boss: [asking(['clerk', 'Well?']), saying('Fine.')],
      clerk: [callOrders, saying('Two.')],
    });
    const { request_id } = await ask('boss');
    await resume('boss', request_id, { headers: withToken('Bearer of-the-approver-2') });
    expect(resultsOf('boss')).toEqual(['Two.']);
    expect(authorizations).toEqual(['Bearer of-the-approver-2']);
    expect(await fixture.service.database.prisma.runStep.count()).toBe(0);
  });

  test('is redacted from the results of tools of an agent that is asked, even if none gets it', async () => {
    await newAgent('boss', { asks: ['clerk'], tools: { http: [orders(ofToken)] } });
    await newAgent('clerk', { tools: { http: [orders()] } });
    script({
      boss: [callOrders, asking(['clerk', 'Well?']), saying('Fine.')],
      clerk: [callOrders, saying('Two.')],
    });
    says = 'The last token was x7Kq9pLm2vRt.';
    await tenant().api.expect('invokeAgent', 200, {
      path: { agent_id: 'boss' },
      headers: withToken('Bearer x7Kq9pLm2vRt'),
      body: { message: 'Begin.' },
    });
    expect(authorizations).toEqual(['Bearer x7Kq9pLm2vRt', undefined]);
    expect(resultsOf('clerk')).toEqual(['The last token was [redacted].']);
  });

  test.each<[string, (requestId: string) => Promise<unknown>]>([
    ['is cancelled', (requestId) => operate('invocations', 'cancel', requestId)],
    ['has its user erased', () => operate('users', 'erase', 'ada', '--yes')],
    [
      'has its agent deleted',
      () => tenant().api.expect('deleteAgent', 200, { path: { agent_id: 'boss' } }),
    ],
  ])('is kept nowhere once an asynchronous invocation that asks %s', async (_, end) => {
    await newAgent('boss', { asks: ['clerk'] });
    await newAgent('clerk', { tools: { http: [orders(ofToken)] } });
    script({ boss: [asking(['clerk', 'Well?'])], clerk: [callOrders, silent] });
    const { data } = await tenant().api.expect('invokeAgent', 202, {
      path: { agent_id: 'boss' },
      headers: { prefer: 'respond-async', ...withToken('Bearer x7Kq9pLm2vRt') },
      body: { message: 'Begin.', context: { user_id: 'ada', session_id: 'parlour' } },
    });
    await fixture.provider.asked(3);
    const { runStep } = fixture.service.database.prisma;
    expect(await runStep.count()).toBeGreaterThan(0);
    await end(data.request_id);
    await fixture.provider.received.at(-1)?.closed;
    await eventually(async () => {
      const rows = await invocations();
      expect(rows.every(({ finishedAt }) => finishedAt !== null)).toBe(true);
      expect(rows.filter(({ agent }) => agent === 'clerk')).toMatchObject([
        { errorCode: 'cancelled' },
      ]);
    });
    expect(await runStep.count()).toBe(0);
    expect(authorizations).toEqual(['Bearer x7Kq9pLm2vRt']);
    expect(await tablesContaining(fixture.service.database, 'x7Kq9pLm2vRt')).toEqual([]);
  });
});

test('an approval does not change what the tools of an agent that is asked get of the context', async () => {
  const fixed = { arguments: { customer: '${context.customer}' } };
  await newAgent('boss', { asks: [{ name: 'clerk', approval: 'caller' }] });
  await newAgent('clerk', { tools: { http: [orders(fixed)] } });
  script({
    boss: [asking(['clerk', 'Well?']), saying('Fine.')],
    clerk: [callOrders, saying('Two.')],
  });
  const { request_id } = await ask('boss', 'Begin.', { customer: 'ada-1' });
  await resume('boss', request_id, { context: { customer: 'eve', remember: false } });
  expect(paths).toEqual(['/orders?customer=ada-1']);
  const rows = await invocations();
  expect(rows.map(({ context }) => context)).toEqual([{ customer: 'ada-1' }, null, null]);
});

test('an agent that is asked by a scheduled one was not invoked by a schedule', async () => {
  const { database } = fixture.service;
  const { id: agentId } = await newAgent('boss', { asks: ['clerk'] });
  const { id: clerk } = await newAgent('clerk');
  const { accountId } = tenant();
  await insertWebhook(database, accountId, clerk);
  script({ boss: [asking(['clerk', 'Well?']), saying('Fine.')], clerk: [saying('Two.')] });
  await insertSchedule(database, { accountId, agentId }, { name: 'nightly' });
  await eventually(async () => {
    expect(await invocations()).toHaveLength(2);
  });
  const asked = (await invocations()).find(({ agent }) => agent === 'clerk');
  const { logs, events } = await recordsOnceFinished(fixture.service, asked?.id ?? '');
  expect(logs).toHaveLength(1);
  expect(logs[0]?.metadata).not.toHaveProperty('schedule');
  expect(events[0]?.body.data).not.toHaveProperty('schedule');
});
