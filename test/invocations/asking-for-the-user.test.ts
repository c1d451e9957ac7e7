/** What agents that are asked get of the request, and of the schedule, that runs the agent that asks. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { insertWebhook } from '../helpers/database/rows.js';
import { eventually } from '../helpers/eventually.js';
import { type HttpServer, startHttpServer } from '../helpers/servers/http-server.js';
import { insertSchedule } from '../schedules/due-schedules.js';
import { asking, saying, useAskingAgents } from './asking-agents.js';
import { recordsOnceFinished } from './service-with-model.js';

const { fixture, tenant, newAgent, script, resultsOf, invocations } = useAskingAgents();

let shop: HttpServer;
const authorizations: (string | undefined)[] = [];
let says = 'Two orders.';

beforeAll(async () => {
  shop = await startHttpServer((req, res) => {
    authorizations.push(req.headers.authorization);
    res.end(says);
  });
});
afterAll(() => shop.stop());
beforeEach(() => {
  authorizations.length = 0;
  says = 'Two orders.';
});

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
const withToken = (value: string) => ({ 'x-tool-authorization': value });

describe("the caller's token", () => {
  test('of whoever approves the question is that of the tools of the agent that is asked', async () => {
    await newAgent('boss', { asks: [{ name: 'clerk', approval: 'caller' }] });
    await newAgent('clerk', { tools: { http: [orders(ofToken)] } });
    script({
      boss: [asking(['clerk', 'Well?']), saying('Fine.')],
      clerk: [callOrders, saying('Two.')],
    });
    const path = { agent_id: 'boss' };
    const { data } = await tenant().api.expect('invokeAgent', 200, {
      path,
      body: { message: 'Begin.' },
    });
    const decisions = [{ call_id: 'call_1', decision: 'approve' }];
    await tenant().api.expect('invokeAgent', 200, {
      path,
      headers: withToken('Bearer of-the-approver-2'),
      body: { message: 'Go.', resume: { request_id: data.request_id, decisions } },
    });
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
