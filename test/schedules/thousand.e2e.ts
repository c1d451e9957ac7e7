/** A thousand schedules that are due in the same second, on several instances, beside requests of another account. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { newId } from '../../server/lib/data/typeid.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';
import { eventually } from '../helpers/eventually.js';
import { type ServiceProcess, startServiceProcess } from '../helpers/programs/process.js';
import { apiClient } from '../helpers/service/api.js';
import { useFixture } from '../helpers/service/fixture.js';
import { environmentFor, useService, useTenant } from '../helpers/service/service.js';

// Two processes and this one, which runs no asynchronous invocations.
const observer = useService({ ASYNC_CONCURRENCY: '0', WORKER: 'off' });
const neighbour = useTenant(observer);
const start = () =>
  startServiceProcess({ environment: { ...environmentFor(observer), WORKER: 'off' } });
const end = async (program: ServiceProcess) => void (await program.end('SIGTERM'));
const first = useFixture(start, end);
const second = useFixture(start, end);

interface NewSchedules {
  accounts: number;
  /** Of each account. */
  count: number;
}

/** Schedules of a time that is a few seconds away. Returns the ids of their accounts. */
async function insertSchedules({ accounts, count }: NewSchedules, nextAt: Date): Promise<string[]> {
  const { prisma } = observer.database;
  const ids: string[] = [];
  for (let account = 0; account < accounts; account += 1) {
    const accountId = await insertAccount(observer.database);
    const where = { id: accountId };
    await prisma.account.update({ where, data: { tier: 'enterprise' } });
    const agentId = await insertAgent(observer.database, accountId);
    await prisma.schedule.createMany({
      data: Array.from({ length: count }, () => ({
        accountId,
        agentId,
        name: newId('req').replace('_', '-'),
        // Once a day, so that each is due only once during the test.
        cron: `${nextAt.getUTCMinutes()} ${nextAt.getUTCHours()} * * *`,
        timezone: 'UTC',
        message: 'Report.',
        nextAt,
      })),
    });
    ids.push(accountId);
  }
  return ids;
}

/** Invokes an agent of another account again and again. Returns the statuses. */
function load(signal: AbortSignal): Promise<number[]> {
  const statuses: number[] = [];
  const keepAsking = async ({ url }: ServiceProcess) => {
    const { name } = await neighbour.newAgent();
    const api = apiClient(url, neighbour.key);
    const call = { path: { agent_id: name }, body: { message: 'Hello' } };
    while (!signal.aborted) {
      statuses.push((await api.call('invokeAgent', call)).status);
      await delay(50);
    }
  };
  return Promise.all([first, second].map(keepAsking)).then(() => statuses);
}

test.each([
  { accounts: 1, count: 1_000 },
  { accounts: 100, count: 10 },
])('$count schedules of each of $accounts accounts are queued once, within 5 s', async (each) => {
  const { prisma } = observer.database;
  const all = each.accounts * each.count;
  const prepared = new Date(Date.now() + 3_600_000);
  const accounts = await insertSchedules(each, prepared);
  const where = { accountId: { in: accounts } };
  const stop = new AbortController();
  const loading = load(stop.signal);
  await delay(1_000);
  const dueAt = new Date(Date.now() + 1_000);
  await prisma.schedule.updateMany({ where, data: { nextAt: dueAt } });
  await eventually(async () => {
    expect(await prisma.invocation.count({ where })).toBe(all);
  });
  stop.abort();
  const statuses = await loading;
  const made = await prisma.invocation.findMany({
    where,
    select: { schedule: true, createdAt: true },
  });
  const tookMs = Math.max(...made.map(({ createdAt }) => createdAt.getTime())) - dueAt.getTime();
  process.stderr.write(`${all} schedules queued in ${tookMs} ms, ${statuses.length} requests\n`);
  expect(new Set(made.map(({ schedule }) => schedule)).size).toBe(all);
  expect(made).toHaveLength(all);
  expect(tookMs).toBeLessThan(5_000);
  expect(new Set(statuses)).toEqual(new Set([200]));
});
