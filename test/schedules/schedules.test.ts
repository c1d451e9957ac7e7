/** Schedules on a running service: what their invocations do, and who sees what of them. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Agent } from '../../generated/api.js';
import { signToken, usualClaims } from '../helpers/crypto/tokens.js';
import { insertWebhook } from '../helpers/database/rows.js';
import { eventually } from '../helpers/eventually.js';
import { useFiles } from '../helpers/programs/files.js';
import type { Api } from '../helpers/service/api.js';
import { said, useCarefulAgents } from '../invocations/careful-agents.js';
import { refund } from '../invocations/tool-fixtures.js';
import { insertSchedule, invocationsOf, makeDue, secondsAgo } from './due-schedules.js';

const { fixture, newCarefulAgent } = useCarefulAgents();
const files = useFiles();
const secret = 'a secret of the report bot, of at least 32 bytes';

let auth: object;
let agent: { id: string; name: string };
const key = () => ({ accountId: fixture.tenant.accountId, agentId: agent.id });

beforeEach(async () => {
  auth = {
    type: 'jwt',
    secret: `\${file:${await files.write('secret', secret)}}`,
    roles: ['viewer'],
  };
  agent = await fixture.newAgent({ policy: { auth } });
});

async function shownTo(api: Api): Promise<Agent> {
  return (await api.expect('getAgent', 200, { path: { agent_id: agent.id } })).data;
}

const shown = async () => (await shownTo(fixture.tenant.api)).schedules?.[0];

/** Waits for the outcome of the last run. */
async function outcome(expected: string) {
  return eventually(async () => {
    const schedule = await shown();
    expect(schedule?.last_run?.outcome).toBe(expected);
    return schedule;
  });
}

const schedule = (fields: Parameters<typeof insertSchedule>[2] = {}) =>
  insertSchedule(fixture.service.database, key(), { name: 'report', ...fields });

describe('a schedule that is due', () => {
  test('invokes its agent, which answers into its log, memory and webhooks', async () => {
    const { database } = fixture.service;
    await insertWebhook(database, fixture.tenant.accountId, agent.id);
    const context = { user_id: 'ada', session_id: 'reports' };
    await schedule({ context });
    const { last_run, next_at, paused } = (await outcome('succeeded')) ?? {};
    expect(paused).toBe(false);
    expect(Date.parse(next_at ?? '')).toBeGreaterThan(Date.now() - 1_000);
    const requestId = last_run?.request_id ?? '';
    const path = { agent_id: agent.id };
    const log = await fixture.tenant.api.expect('getLogs', 200, { path });
    expect(log.data).toMatchObject([
      {
        message: expect.stringMatching(/^Invocation answered/),
        metadata: { schedule: 'report', request_id: requestId, session_id: 'reports' },
      },
    ]);
    const found = await fixture.tenant.api.expect('searchMemory', 200, {
      path,
      body: { query: 'way', filter: { user_id: 'ada' } },
    });
    expect(found.data).toMatchObject([{ metadata: { request_id: requestId } }]);
    const event = await database.prisma.event.findFirstOrThrow({ where: { requestId } });
    expect(JSON.parse(Buffer.from(event.body).toString())).toMatchObject({
      type: 'agent.completed',
      data: { request_id: requestId, schedule: 'report', response: 'On its way.' },
    });
  });

  test('runs the deployment that is active in production', async () => {
    const path = { agent_id: agent.id };
    const body = { environment: 'production', version: '1' };
    const { data } = await fixture.tenant.api.expect('createDeployment', 201, { path, body });
    await schedule();
    await outcome('succeeded');
    const [invocation] = await invocationsOf(fixture.service.database, key());
    expect(invocation?.deploymentId).toBe(data.id);
  });

  test('is within the budget of its agent', async () => {
    agent = await fixture.newAgent({ budget: { tokens: 1, window: '1d' } });
    const path = { agent_id: agent.id };
    await fixture.tenant.api.call('invokeAgent', { path, body: { message: 'Use it up.' } });
    await schedule();
    await outcome('failed');
    const [, ours] = await invocationsOf(fixture.service.database, key());
    expect(ours?.errorCode).toBe('rate_limited');
  });

  test('leaves nothing of its conversation if its context says so', async () => {
    await schedule({ context: { user_id: 'ada', remember: false } });
    await outcome('succeeded');
    const memory = await fixture.service.database.prisma.memoryEntry.count({
      where: { agentId: agent.id },
    });
    expect(memory).toBe(0);
  });

  test('starts within about a second of its time', async () => {
    const at = new Date(Date.now() + 2_500);
    await schedule({ nextAt: at });
    const ours = await eventually(async () => {
      const [found] = await invocationsOf(fixture.service.database, key());
      if (!found) throw new Error('It has not started.');
      return found;
    });
    const lateMs = ours.createdAt.getTime() - at.getTime();
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(1_500);
  });

  test('waits for approval, is due again meanwhile, and runs', async () => {
    agent = await newCarefulAgent();
    fixture.provider.behave(refund);
    await schedule();
    const first = await outcome('waiting');
    fixture.provider.behave(said('There is nothing to refund.'));
    await makeDue(fixture.service.database, key());
    const second = await outcome('succeeded');
    expect(second?.last_run?.request_id).not.toBe(first?.last_run?.request_id);
  });
});

test('Get Agent shows a schedule that is paused and one that was skipped', async () => {
  await schedule({ nextAt: null });
  expect(await shown()).toEqual({
    name: 'report',
    cron: '* * * * *',
    timezone: 'UTC',
    message: 'Report.',
    paused: true,
    next_at: null,
  });
  const lastAt = secondsAgo(60);
  const requestId = 'req_01m6dqs9m0fsw90fq1accfsmnf';
  const last = { lastAt, lastRequestId: requestId, lastSkipped: true };
  await fixture.service.database.prisma.schedule.updateMany({ where: key(), data: last });
  expect((await shown())?.last_run).toEqual({
    at: lastAt.toISOString(),
    request_id: requestId,
    outcome: 'skipped',
  });
  // The invocation is not there any more.
  const ended = { lastSkipped: false };
  await fixture.service.database.prisma.schedule.updateMany({ where: key(), data: ended });
  expect((await shown())?.last_run).not.toHaveProperty('outcome');
});

test('an agent without schedules shows none', async () => {
  expect(await shownTo(fixture.tenant.api)).not.toHaveProperty('schedules');
});

test('a token sees neither the context of other users nor their messages', async () => {
  const as = (user_id: string) =>
    fixture.service.api(signToken(secret, { ...usualClaims(), user_id, role: 'viewer' }));
  const own = { user_id: 'ada', plan: 'pro' };
  const general = { session_id: 'secret plan' };
  await schedule({ name: 'general', nextAt: null, message: 'For all.', context: general });
  await schedule({ name: 'own', nextAt: null, message: "Ada's orders.", context: own });
  const named = async (api: Api) =>
    (await shownTo(api)).schedules?.map(({ name, message, context }) => ({
      name,
      message,
      context,
    }));
  expect(await named(as('ada'))).toEqual([
    { name: 'general', message: 'For all.' },
    { name: 'own', message: "Ada's orders.", context: own },
  ]);
  expect(await named(as('bob'))).toEqual([
    { name: 'general', message: 'For all.' },
    { name: 'own' },
  ]);
  expect(await named(fixture.tenant.api)).toMatchObject([{ context: general }, { context: own }]);
});

test('another account sees nothing of them', async () => {
  await schedule({ nextAt: null });
  const stranger = await fixture.service.tenant();
  await stranger.api.expect('getAgent', 404, { path: { agent_id: agent.id } });
});
