/** Usage counts are folded exactly once, by any instance, and always match the recorded usage. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createAccount } from '../../server/accounts/accounts.js';
import { newId } from '../../server/lib/data/typeid.js';
import { insertAgent } from '../../server/agents/drafts.js';
import type { Database } from '../../server/postgres/database.js';
import { withHousekeepingLock } from '../../server/postgres/housekeeping-lock.js';
import { foldStep, foldUsage } from '../../server/metrics/usage.js';
import { useConnections, useDatabase } from '../helpers/database/database.js';
import { recordHistory } from '../helpers/database/history.js';

const made = useDatabase();
const other = useConnections(made);
let database: Database;

beforeAll(() => {
  ({ database } = made);
});

async function newOwner() {
  const { id: accountId } = await createAccount(database, {
    name: newId('acct'),
    tier: 'free',
  });
  const agentId = newId('agent');
  await insertAgent(database, { id: agentId, accountId, name: 'a', model: 'builtin/echo' });
  return { accountId, agentId };
}

const start = Date.parse('2026-04-30T23:58:00.000Z');

const history = Array.from({ length: 40 }, (_, n) => ({
  at: start + n * 7_000,
  durationMs: n,
  failed: n % 4 === 0,
  logs: [{ at: start + n * 7_000, level: 'warn' as const }],
}));

function rollupsOf(agentId: string) {
  return database.prisma.usageRollup.findMany({
    where: { agentId },
    orderBy: [{ bucketSeconds: 'asc' }, { bucketStart: 'asc' }],
  });
}

describe('Folding usage', () => {
  test('adds every row to its minute, five minutes, hour and day, across their boundaries', async () => {
    const owner = await newOwner();
    await recordHistory(database, owner, history);
    while (await foldStep(database, 3));
    expect(await database.prisma.usageDelta.count({ where: { agentId: owner.agentId } })).toBe(0);
    const rollups = await rollupsOf(owner.agentId);
    for (const size of [60, 300, 3_600, 86_400]) {
      const buckets = rollups.filter(({ bucketSeconds }) => bucketSeconds === size);
      for (const { bucketStart, invocations, failures, durationMs, logsWarn } of buckets) {
        const from = bucketStart.getTime();
        const within = history.filter(({ at }) => at >= from && at < from + size * 1000);
        expect([invocations, failures, durationMs, logsWarn].map(Number)).toEqual([
          within.length,
          within.filter(({ failed }) => failed).length,
          within.reduce((sum, one) => sum + one.durationMs, 0),
          within.length,
        ]);
      }
      expect(buckets.reduce((sum, { invocations }) => sum + Number(invocations), 0)).toBe(40);
    }
  });

  test('counts nothing twice and loses nothing when several fold at the same time', async () => {
    const owner = await newOwner();
    const writing = recordHistory(database, owner, history);
    // Bypasses the lock that serialises instances: the statement itself must be safe.
    const folding = Array.from({ length: 12 }, (_, n) =>
      foldUsage(n % 2 ? database : other, owner.accountId, 5).catch(() => false),
    );
    await Promise.all([writing, ...folding]);
    while (await foldStep(database, 100));
    const days = (await rollupsOf(owner.agentId)).filter((one) => one.bucketSeconds === 86_400);
    expect(days.reduce((sum, { invocations }) => sum + Number(invocations), 0)).toBe(40);
  });

  test('uncommitted usage changes nothing', async () => {
    const owner = await newOwner();
    await recordHistory(database, owner, history);
    await database
      .transaction(async (transaction) => {
        await foldUsage(transaction, owner.accountId, 1_000);
        throw new Error('a crash in the middle');
      })
      .catch(() => undefined);
    expect(await rollupsOf(owner.agentId)).toEqual([]);
    const { _sum } = await database.prisma.usageDelta.aggregate({
      where: { agentId: owner.agentId },
      _sum: { invocations: true },
    });
    expect(_sum.invocations).toBe(40);
  });
});

test('one instance does housekeeping while another skips it, until the transaction ends', async () => {
  const passed = await withHousekeepingLock(database, () =>
    withHousekeepingLock(other, () => Promise.resolve('both')),
  );
  expect(passed).toBeUndefined();
  await withHousekeepingLock(database, () => Promise.reject(new Error('died'))).catch(
    () => undefined,
  );
  expect(await withHousekeepingLock(other, () => Promise.resolve('mine'))).toBe('mine');
});
