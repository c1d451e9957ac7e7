/** Schedules that are due make one invocation each, whatever happens in the meantime. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { applyManifests } from '../../server/agents/manifests/manifests.js';
import { setAgentStatus } from '../../server/agents/agents.js';
import type { Caller } from '../../server/accounts/caller.js';
import { limitsOf } from '../../server/accounts/tiers.js';
import { newId } from '../../server/lib/data/typeid.js';
import { findDueAccounts } from '../../server/schedules/queue.sql.js';
import { tickBatch } from '../../server/schedules/ticks.js';
import { useConnections, useDatabase } from '../helpers/database/database.js';
import { deleteAgent, insertAccount, insertAgent } from '../helpers/database/rows.js';
import {
  insertSchedule,
  insertSchedules,
  invocationsOf,
  logOf,
  makeDue,
  schedulesOf,
  secondsAgo,
  thisMinute,
  tick,
} from './due-schedules.js';

const made = useDatabase();
const otherInstance = useConnections(made);
const agent = { accountId: '', agentId: '' };

beforeEach(async () => {
  agent.accountId = await insertAccount(made.database);
  agent.agentId = await insertAgent(made.database, agent.accountId);
});

const dayMs = 86_400_000;

async function nextAt(): Promise<Date | null | undefined> {
  return (await schedulesOf(made.database, agent))[0]?.nextAt;
}

test('a schedule that is due makes an invocation as nobody but its context says', async () => {
  const context = { user_id: 'ada', session_id: 'reports', plan: 'pro' };
  await insertSchedule(made.database, agent, { context });
  expect(await tick(made.database, agent.accountId)).toBe(1);
  const [invocation] = await invocationsOf(made.database, agent);
  expect(invocation).toMatchObject({
    status: 'queued',
    message: 'Report.',
    userId: 'ada',
    sessionId: 'reports',
    context,
    createdBy: null,
    idempotencyId: null,
    schedule: 'every-minute-0',
  });
  expect(await schedulesOf(made.database, agent)).toMatchObject([
    { lastRequestId: invocation?.id, lastSkipped: false },
  ]);
  expect(await logOf(made.database, agent)).toEqual([]);
});

test('it is due again at its next time, and not before', async () => {
  await insertSchedule(made.database, agent);
  await tick(made.database, agent.accountId);
  expect((await nextAt())?.getTime()).toBeGreaterThan(Date.now() - 1_000);
  expect((await nextAt())?.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
  expect(await tick(made.database, agent.accountId)).toBe(0);
  expect(await invocationsOf(made.database, agent)).toHaveLength(1);
});

test('accounts with something due are found soonest first, a moment before it is due', async () => {
  const later = await insertAccount(made.database);
  const inASecond = new Date(Date.now() + 1_000);
  const inAMinute = new Date(Date.now() + 60_000);
  const agentId = await insertAgent(made.database, later);
  await insertSchedule(made.database, { accountId: later, agentId }, { nextAt: inASecond });
  await insertSchedules(made.database, agent, 2);
  const idle = await insertAgent(made.database, agent.accountId);
  await insertSchedule(made.database, { ...agent, agentId: idle }, { nextAt: inAMinute });
  const own = [agent.accountId, later];
  const found = async (withinMs: number) =>
    (await findDueAccounts(made.database, { withinMs, limit: 1_000 })).filter(({ accountId }) =>
      own.includes(accountId),
    );
  expect(await found(0)).toMatchObject([{ accountId: agent.accountId, tier: 'free', caps: null }]);
  const soon = await found(2_000);
  expect(soon.map(({ accountId }) => accountId)).toEqual(own);
  expect(soon[0]?.inMs).toBeLessThan(0);
  expect(soon[1]?.inMs).toBeGreaterThan(0);
});

test('two instances at once make exactly one invocation of each schedule', async () => {
  const names = await insertSchedules(made.database, agent, 200);
  const all = async (database: typeof otherInstance) => {
    while ((await tick(database, agent.accountId, 1_000)) > 0);
  };
  await Promise.all([made.database, otherInstance, made.database, otherInstance].map(all));
  const schedules = (await invocationsOf(made.database, agent)).map(({ schedule }) => schedule);
  expect(schedules.sort()).toEqual(names.sort());
});

test('an instance that dies in the middle leaves nothing behind, and the schedule stays due', async () => {
  await insertSchedule(made.database, agent, { nextAt: secondsAgo(90) });
  const dying = otherInstance.atomically(async (transaction) => {
    await tickBatch(transaction, { ...agent, maxQueued: 10 });
    const kill = { name: 'kill', text: 'SELECT pg_terminate_backend(pg_backend_pid())' };
    await transaction.run(kill, []);
  });
  await expect(dying).rejects.toThrow();
  expect(await invocationsOf(made.database, agent)).toEqual([]);
  expect(await logOf(made.database, agent)).toEqual([]);
  expect(await tick(made.database, agent.accountId)).toBe(1);
  expect(await invocationsOf(made.database, agent)).toHaveLength(1);
});

test('a clock that goes back makes no second invocation', async () => {
  await insertSchedule(made.database, agent);
  await tick(made.database, agent.accountId);
  // What an hour back looks like to the schedule.
  await made.database.prisma.schedule.updateMany({
    where: agent,
    data: { nextAt: new Date(Date.now() + 3_600_000) },
  });
  expect(await tick(made.database, agent.accountId)).toBe(0);
});

describe('after an outage of a day', () => {
  test('a schedule of every minute runs once, for the last minute, and the log says so', async () => {
    const since = new Date(thisMinute().getTime() - dayMs);
    await insertSchedule(made.database, agent, { nextAt: since });
    const before = thisMinute();
    await tick(made.database, agent.accountId);
    const [invocation, ...others] = await invocationsOf(made.database, agent);
    expect(others).toEqual([]);
    const [entry] = await logOf(made.database, agent);
    expect(entry).toMatchObject({ level: 'warn', requestId: invocation?.id });
    expect(entry?.metadata).toMatchObject({
      schedule: 'every-minute-0',
      missed_since: since.toISOString(),
    });
    const minutes = [before, thisMinute()].map((minute) => minute.toISOString());
    expect(minutes.filter((minute) => entry?.message.includes(minute))).not.toEqual([]);
    expect(entry?.message).toContain(`since ${since.toISOString()}`);
    expect((await nextAt())?.getTime()).toBeGreaterThan(Date.now() - 1_000);
  });

  test('a schedule of once a day runs as late as it is', async () => {
    const at = new Date(thisMinute().getTime() - 3 * 3_600_000);
    const cron = `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
    await insertSchedule(made.database, agent, { cron, nextAt: at });
    await tick(made.database, agent.accountId);
    const [entry] = await logOf(made.database, agent);
    expect(entry?.message).toMatch(
      new RegExp(`runs for ${at.toISOString()}, 10[89]\\d\\d s late$`),
    );
    expect(entry?.metadata).toMatchObject({ scheduled_at: at.toISOString() });
    expect(entry?.metadata).not.toHaveProperty('missed_since');
    expect(await nextAt()).toEqual(new Date(at.getTime() + dayMs));
  });
});

describe('while the invocation of the time before', () => {
  test.each(['queued', 'running'] as const)('is %s, a time is skipped', async (status) => {
    await insertSchedule(made.database, agent);
    await tick(made.database, agent.accountId);
    const [first] = await invocationsOf(made.database, agent);
    const running = { status, leaseOwner: 'worker' };
    if (status === 'running') {
      await made.database.prisma.invocation.updateMany({ where: agent, data: running });
    }
    await makeDue(made.database, agent);
    expect(await tick(made.database, agent.accountId)).toBe(1);
    expect(await invocationsOf(made.database, agent)).toHaveLength(1);
    expect(await logOf(made.database, agent)).toMatchObject([
      { level: 'warn', requestId: first?.id, metadata: { schedule: 'every-minute-0' } },
    ]);
    expect(await schedulesOf(made.database, agent)).toMatchObject([
      { lastSkipped: true, lastRequestId: first?.id },
    ]);
  });

  test('has ended, or waits for approval, it is not', async () => {
    await insertSchedule(made.database, agent);
    await tick(made.database, agent.accountId);
    const ended = { status: 'succeeded', availableAt: null, message: null } as const;
    await made.database.prisma.invocation.updateMany({ where: agent, data: ended });
    await makeDue(made.database, agent);
    await tick(made.database, agent.accountId);
    expect(await invocationsOf(made.database, agent)).toHaveLength(2);
    expect(await logOf(made.database, agent)).toEqual([]);
  });
});

describe('a stopped agent', () => {
  test('does not tick, and does not run what it has missed when it is started', async () => {
    const operator = callerIn(agent.accountId);
    await insertSchedule(made.database, agent, { nextAt: secondsAgo(3_600) });
    const reference = agent.agentId;
    await setAgentStatus(made.database, operator, { reference, status: 'stopped' });
    expect(await tick(made.database, agent.accountId)).toBe(1);
    expect(await invocationsOf(made.database, agent)).toEqual([]);
    expect(await logOf(made.database, agent)).toEqual([]);
    // As if no instance had run since.
    await makeDue(made.database, agent, secondsAgo(3_600));
    await setAgentStatus(made.database, operator, { reference, status: 'running' });
    expect((await nextAt())?.getTime()).toBeGreaterThan(Date.now() - 1_000);
  });

  test('that runs already keeps what an outage has delayed', async () => {
    const late = secondsAgo(3_600);
    await insertSchedule(made.database, agent, { nextAt: late });
    const reference = agent.agentId;
    const operator = callerIn(agent.accountId);
    await setAgentStatus(made.database, operator, { reference, status: 'running' });
    expect(await nextAt()).toEqual(late);
  });
});

test('a paused schedule does not tick', async () => {
  await insertSchedule(made.database, agent, { nextAt: null });
  expect(await tick(made.database, agent.accountId)).toBe(0);
});

test('the schedules of a deleted agent are deleted with what they have queued', async () => {
  await insertSchedules(made.database, agent, 3);
  await tick(made.database, agent.accountId);
  await made.database.transaction((transaction) =>
    deleteAgent(transaction, agent.accountId, agent.agentId),
  );
  expect(await schedulesOf(made.database, agent)).toEqual([]);
  expect(await invocationsOf(made.database, agent)).toEqual([]);
});

test('schedules whose agent an earlier release has deleted are forgotten', async () => {
  const gone = { ...agent, agentId: newId('agent') };
  await insertSchedules(made.database, gone, 2);
  await insertSchedule(made.database, agent);
  expect(await tick(made.database, agent.accountId)).toBe(3);
  expect(await schedulesOf(made.database, gone)).toEqual([]);
  expect(await invocationsOf(made.database, agent)).toHaveLength(1);
});

test('a schedule whose time zone this process does not know is paused, and the others run', async () => {
  await insertSchedule(made.database, agent, { name: 'odd', timezone: 'Mars/Olympus' });
  await insertSchedule(made.database, agent);
  await tick(made.database, agent.accountId);
  expect(await invocationsOf(made.database, agent)).toHaveLength(1);
  expect(await logOf(made.database, agent)).toMatchObject([
    { level: 'error', metadata: { schedule: 'odd' } },
  ]);
  expect(await schedulesOf(made.database, agent)).toMatchObject([
    {},
    { name: 'odd', nextAt: null },
  ]);
});

test('what an account has no room for stays due, and runs late', async () => {
  const oldest = secondsAgo(120);
  await insertSchedule(made.database, agent, { name: 'oldest', nextAt: oldest });
  await insertSchedules(made.database, agent, 2);
  expect(await tick(made.database, agent.accountId, 1)).toBe(1);
  expect(await tick(made.database, agent.accountId, 1)).toBe(0);
  const queued = await invocationsOf(made.database, agent);
  expect(queued.map(({ schedule }) => schedule)).toEqual(['oldest']);
  const ended = { status: 'succeeded', availableAt: null, message: null } as const;
  await made.database.prisma.invocation.updateMany({ where: agent, data: ended });
  expect(await tick(made.database, agent.accountId, 2)).toBe(2);
  expect(await invocationsOf(made.database, agent)).toHaveLength(3);
});

describe('applying a manifest', () => {
  const base = { name: 'agent', model: 'builtin/echo', timeout: '60s', history: 20 };
  const manifest = (...schedules: object[]) => ({
    ...base,
    instructions: '',
    remember: true,
    summarize: false,
    recall: false,
    schedules: schedules.map((fields, index) => ({
      name: `schedule-${index}`,
      cron: '0 2 * * *',
      timezone: 'UTC',
      message: 'Report.',
      ...fields,
    })),
  });
  const apply = async (...schedules: object[]) => {
    const { accountId } = agent;
    const [result] = await applyManifests(made.database, accountId, [manifest(...schedules)]);
    if (!result) throw new Error('There is one result for each manifest.');
    return { ...result, rows: await schedulesOf(made.database, { agentId: result.id }) };
  };
  const moved = new Date(Date.now() + 5_000);
  const setNext = (agentId: string, next: Date | null) => makeDue(made.database, { agentId }, next);

  test('adds schedules that are due at their next time', async () => {
    const { outcome, rows } = await apply({ cron: '* * * * *' }, {});
    expect(outcome).toBe('created');
    expect(rows.map(({ nextAt: next }) => next?.getUTCHours())).toEqual([expect.anything(), 2]);
    expect(rows[0]?.nextAt?.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  test('leaves what is unchanged as it is', async () => {
    const { id } = await apply({ context: { session_id: 's', list: [1, { b: 1, a: 2 }] } });
    await setNext(id, moved);
    const again = await apply({ context: { list: [1, { a: 2, b: 1 }], session_id: 's' } });
    expect(again).toMatchObject({ outcome: 'unchanged', rows: [{ nextAt: moved }] });
  });

  test('keeps the next time of a schedule whose message changes', async () => {
    const { id } = await apply({});
    await setNext(id, moved);
    const again = await apply({ message: 'Report again.', context: { user_id: 'ada' } });
    expect(again).toMatchObject({ outcome: 'updated', changed: ['schedules'] });
    expect(again.rows).toMatchObject([{ nextAt: moved, message: 'Report again.' }]);
    expect((await apply({ message: 'Report again.' })).rows).toMatchObject([{ context: null }]);
  });

  test.each([{ cron: '0 3 * * *' }, { timezone: 'Europe/Paris' }])(
    'computes the next time of a schedule whose times change: %p',
    async (change) => {
      const { id } = await apply({});
      await setNext(id, moved);
      const { rows } = await apply(change);
      expect(rows[0]?.nextAt).not.toEqual(moved);
      expect(rows[0]?.nextAt?.getTime()).toBeGreaterThan(Date.now());
    },
  );

  test('leaves a paused schedule paused, whatever changes', async () => {
    const { id } = await apply({});
    await setNext(id, null);
    expect((await apply({ cron: '0 3 * * *' })).rows).toMatchObject([{ nextAt: null }]);
  });

  test('deletes what the manifest no longer has, and logs that schedules changed', async () => {
    const { id } = await apply({}, {});
    expect((await apply({})).rows).toHaveLength(1);
    const { schedules, ...without } = manifest();
    expect(schedules).toEqual([]);
    await applyManifests(made.database, agent.accountId, [without]);
    expect(await schedulesOf(made.database, { agentId: id })).toEqual([]);
    const entries = await logOf(made.database, { agentId: id });
    expect(entries.map(({ message }) => message)).toEqual([
      'Configuration changed: schedules.',
      'Configuration changed: schedules.',
    ]);
  });
});

function callerIn(accountId: string): Caller {
  return {
    id: 'operator',
    keyId: null,
    userId: null,
    accountId,
    limits: limitsOf('free', {}),
    permissions: new Set(),
    expiresAt: null,
    agentId: null,
  };
}
