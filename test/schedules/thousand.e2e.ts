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

interface Answer {
  status: number;
  tookMs: number;
}

/** Invokes an agent of another account again and again, and adds the answers. */
async function keepInvoking(answers: Answer[], signal: AbortSignal): Promise<void> {
  const keepAsking = async ({ url }: ServiceProcess) => {
    const { name } = await neighbour.newAgent();
    const api = apiClient(url, neighbour.key);
    const call = { path: { agent_id: name }, body: { message: 'Hello' } };
    while (!signal.aborted) {
      const startedAt = performance.now();
      const { status } = await api.call('invokeAgent', call);
      answers.push({ status, tookMs: performance.now() - startedAt });
      await delay(50);
    }
  };
  await Promise.all([first, second].map(keepAsking));
}

/** How long an answer takes on this machine, beside what else it does. */
function usualMs(answers: readonly Answer[]): number {
  const sorted = answers.map(({ tookMs }) => tookMs).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
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
  const answers: Answer[] = [];
  const loading = keepInvoking(answers, stop.signal);
  await eventually(() => {
    expect(answers.length).toBeGreaterThan(0);
  });
  const dueAt = new Date(Date.now() + 1_000);
  await prisma.schedule.updateMany({ where, data: { nextAt: dueAt } });
  await eventually(async () => {
    expect(await prisma.invocation.count({ where })).toBe(all);
  });
  stop.abort();
  await loading;
  const usual = usualMs(answers);
  const made = await prisma.invocation.findMany({
    where,
    select: { schedule: true, createdAt: true },
  });
  const tookMs = Math.max(...made.map(({ createdAt }) => createdAt.getTime())) - dueAt.getTime();
  process.stdout.write(`${all} schedules queued in ${tookMs} ms, usual ${Math.round(usual)} ms\n`);
  expect(new Set(made.map(({ schedule }) => schedule)).size).toBe(all);
  expect(made).toHaveLength(all);
  // On a machine that is busy with other tests, everything takes longer.
  expect(tookMs).toBeLessThan(Math.max(5_000, 50 * usual));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});
