/** History is partitioned by time: partitions are created ahead, cover any time, and are dropped as a whole. */
import { describe, expect, test } from '@jest/globals';
import { pruneByAge } from '../../server/process/housekeeping.js';
import { createPartitions } from '../../server/postgres/retention/retention.js';
import { listPartitions, partitionedTables } from '../../server/postgres/retention/partitions.js';
import { openTestDatabase, useDatabase } from '../helpers/database/database.js';
import { useFixture } from '../helpers/service/fixture.js';
import { insertLogs } from '../helpers/database/history.js';
import { explain } from '../helpers/database/plans.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';

const made = useDatabase({ perTest: true });
const other = useFixture(
  () => openTestDatabase(made.url),
  (database) => database.close(),
  { perTest: true },
);

const dayMs = 86_400_000;
const tables = Object.keys(partitionedTables).sort();
const inDays = (days: number) => new Date(Date.now() + days * dayMs);

/** The start of a month in days from today: 1 is the next one. */
function monthInDays(months: number, now = new Date()): number {
  const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months);
  return start / dayMs - Math.floor(Date.now() / dayMs);
}

/** The start of the second of the two partitions of a new installation, in days from today. */
const firstBound = Date.parse('2026-11-01') / dayMs - Math.floor(Date.now() / dayMs);

/** The partitions of a table in days from the start of today; open bounds are infinite. */
async function partitionsOf(table: string): Promise<[from: number, to: number][]> {
  const today = Math.floor(Date.now() / dayMs);
  const day = (at: Date | undefined, none: number) => (at ? at.getTime() / dayMs - today : none);
  const partitions = await listPartitions(made.database);
  return partitions
    .filter((partition) => partition.table === table)
    .map(({ from, to }) => [day(from, -Infinity), day(to, Infinity)]);
}

async function newAgent(): Promise<string> {
  return insertAgent(made.database, await insertAccount(made.database));
}

const divide = (days: number | undefined, now?: Date) =>
  createPartitions(made.database, { days, ...(now ? { now } : {}) });

/** Creates all partitions that are needed, as housekeeping does. */
async function divideAll(days: number | undefined, now?: Date): Promise<void> {
  while ((await divide(days, now)) > 0);
}

describe('Partitions', () => {
  test('of a day are created two days ahead, once, by any instance', async () => {
    for (const table of tables) {
      expect(await partitionsOf(table)).toEqual([
        [-Infinity, firstBound],
        [firstBound, Infinity],
      ]);
    }
    const created = await Promise.all([
      divide(31),
      createPartitions(other, { days: 31 }),
      divide(31),
    ]);
    // An instance leaves the work to one that has already begun it.
    expect(created.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(tables.length);
    await divideAll(31);
    for (const table of tables) {
      expect(await partitionsOf(table)).toEqual([
        [-Infinity, firstBound],
        [firstBound, 1],
        [1, 2],
        [2, 3],
        [3, Infinity],
      ]);
    }
  });

  test.each([32, 365, undefined])('are of a month with RETENTION_DAYS %s', async (days) => {
    const now = new Date(Date.UTC(2027, 0, 30));
    await divideAll(days, now);
    const [first, second] = [monthInDays(1, now), monthInDays(2, now)];
    expect(await partitionsOf('log_entries')).toEqual([
      [-Infinity, firstBound],
      [firstBound, first],
      [first, second],
      [second, Infinity],
    ]);
    await divideAll(days, new Date(Date.UTC(2027, 1, 25)));
    expect(await partitionsOf('log_entries')).toHaveLength(4);
  });

  test('follow those of another width without a gap, after RETENTION_DAYS changed', async () => {
    const daily = new Date(Date.UTC(2027, 0, 5));
    await divideAll(7, daily);
    await divideAll(90, new Date(Date.UTC(2027, 0, 31)));
    await divideAll(7, new Date(Date.UTC(2027, 1, 27)));
    const starts = (await listPartitions(made.database))
      .filter(({ table }) => table === 'deliveries')
      .map(({ from, to }) => [from, to].map((at) => at?.toISOString().slice(0, 10)));
    expect(starts).toEqual([
      [undefined, '2026-11-01'],
      ['2026-11-01', '2027-01-06'],
      ['2027-01-06', '2027-01-07'],
      ['2027-01-07', '2027-01-08'],
      ['2027-01-08', '2027-02-01'],
      ['2027-02-01', '2027-03-01'],
      ['2027-03-01', '2027-03-02'],
      ['2027-03-02', undefined],
    ]);
  });

  test('of queues are vacuumed when a hundredth is dead, also those that are created later', async () => {
    const { pool } = made.database;
    const storageOf = async (queue: string) => {
      const { rows } = await pool.query<{ name: string; storage: string[] }>(
        `SELECT relname AS name, reloptions AS storage FROM pg_class JOIN pg_inherits ON inhrelid = oid
          WHERE inhparent = $1::regclass ORDER BY relname`,
        [queue],
      );
      return Object.fromEntries(rows.map(({ name, storage }) => [name, storage]));
    };
    const storage = ['autovacuum_vacuum_scale_factor=0.01', 'autovacuum_vacuum_threshold=5000'];
    const queues = ['invocations', 'deliveries'];
    for (const queue of queues) {
      expect(await storageOf(queue)).toEqual({
        [`${queue}_p20261101`]: storage,
        [`${queue}_past`]: storage,
      });
    }
    // A setting of the operator's is taken over too.
    await pool.query(`ALTER TABLE deliveries_p20261101 SET (autovacuum_analyze_threshold = 7)`);
    await divideAll(1);
    await insertLogs(made.database, await newAgent(), [inDays(-1)]);
    expect(await pruneByAge(made.database, { days: 1, now: inDays(4) })).toBe(true);
    for (const [queue, added] of [
      ['invocations', []],
      ['deliveries', ['autovacuum_analyze_threshold=7']],
    ] as const) {
      const found = await storageOf(queue);
      expect(Object.keys(found)).not.toContain(`${queue}_p20261101`);
      expect(Object.keys(found).length).toBeGreaterThan(1);
      for (const one of Object.values(found)) expect(one).toEqual([...storage, ...added]);
    }
    expect(await storageOf('log_entries')).toMatchObject({ log_entries_past: null });
  });

  test('accept a row of any time, even if none was created for it', async () => {
    const agentId = await newAgent();
    await insertLogs(made.database, agentId, [
      new Date(0),
      inDays(-400),
      inDays(0),
      inDays(45),
      inDays(40_000),
    ]);
    expect(await made.database.prisma.logEntry.count({ where: { agentId } })).toBe(5);
  });

  test('are longer for rows in the future, which stay in place', async () => {
    const agentId = await newAgent();
    await insertLogs(made.database, agentId, [inDays(40)]);
    await divideAll(7);
    expect(await partitionsOf('log_entries')).toEqual([
      [-Infinity, firstBound],
      [firstBound, 41],
      [41, Infinity],
    ]);
    expect(await made.database.prisma.logEntry.count({ where: { agentId } })).toBe(1);
    // Those of the other tables end on the same day too, so that they are dropped together.
    for (let day = 1; day <= 41; day += 1) await divideAll(7, inDays(day));
    expect((await partitionsOf('invocations')).map(([from]) => from)).toContain(41);
  });

  test('continue after a year without new ones', async () => {
    await divideAll(7);
    const agentId = await newAgent();
    await insertLogs(made.database, agentId, [inDays(30), inDays(300)]);
    await divideAll(7, inDays(365));
    expect((await partitionsOf('log_entries')).slice(-3)).toEqual([
      [366, 367],
      [367, 368],
      [368, Infinity],
    ]);
    expect(await made.database.prisma.logEntry.count({ where: { agentId } })).toBe(2);
  });

  test('give up when a long statement is running, and do not block others', async () => {
    const agentId = await newAgent();
    await made.database.transaction(async ({ prisma }) => {
      await prisma.logEntry.count();
      expect(await createPartitions(other, { days: 365 })).toBe(tables.length - 1);
      await insertLogs(made.database, agentId, [inDays(0)]);
    });
    expect(await divide(365)).toBe(1);
    expect(await partitionsOf('log_entries')).toEqual(await partitionsOf('deliveries'));
  });
});

describe('The newest rows', () => {
  test.each([
    [
      'log entries',
      `SELECT * FROM log_entries WHERE account_id = $1 AND agent_id = $2 ORDER BY logged_at DESC, id DESC LIMIT 5`,
    ],
    [
      'memory',
      `SELECT * FROM memory_entries WHERE account_id = $1 AND agent_id = $2 ORDER BY id DESC LIMIT 5`,
    ],
    [
      'messages of a session',
      `SELECT * FROM memory_entries WHERE account_id = $1 AND agent_id = $2 AND session_id = 's' ORDER BY id DESC LIMIT 5`,
    ],
  ])('of %s are read from the newest partitions only, without sorting', async (_what, text) => {
    await divideAll(7);
    const plan = await explain(made.database, { text, values: ['acct_1', 'agent_1'] });
    // An Append stops as soon as there are enough; a Merge Append would start reading each partition.
    expect(plan.Plans?.map((node) => node['Node Type'])).toEqual(['Append']);
  });
});

describe('Retention', () => {
  test('drops expired partitions, and keeps an empty one for old rows that may be restored', async () => {
    const agentId = await newAgent();
    for (let day = 0; day < 5; day += 1) await divideAll(1, inDays(day));
    await insertLogs(
      made.database,
      agentId,
      [-1, 0, 1, 2, 3, 4].map((day) => inDays(day)),
    );
    const { pool } = made.database;
    await pool.query('TRUNCATE usage_deltas');
    // Three days later than now is on the same day as the fifth entry, whatever time of day it is.
    expect(await pruneByAge(made.database, { days: 1, now: inDays(4) })).toBe(true);
    // Rows in longer partitions come next; there are none.
    expect(await pruneByAge(made.database, { days: 1, now: inDays(4) })).toBe(false);
    const left = await made.database.prisma.logEntry.findMany({
      where: { agentId },
      orderBy: { loggedAt: 'asc' },
    });
    expect(
      left.map(({ loggedAt }) => Math.round((loggedAt.getTime() - Date.now()) / dayMs)),
    ).toEqual([3, 4]);
    const [past] = await partitionsOf('log_entries');
    expect(past?.[0]).toBe(-Infinity);
    expect(past?.[1]).toBeGreaterThan(2);
    await insertLogs(made.database, agentId, [new Date(0)]);
    // Restored rows are deleted in the same way.
    await pruneByAge(made.database, { days: 1, now: inDays(4) });
    expect(await made.database.prisma.logEntry.count({ where: { agentId } })).toBe(left.length);
  });

  test('gives up when a long statement is running, and succeeds at the next attempt', async () => {
    const agentId = await newAgent();
    await insertLogs(made.database, agentId, [inDays(0)]);
    await divideAll(1);
    const expired = { days: 1, now: inDays(4) };
    await made.database.transaction(async ({ prisma }) => {
      expect(await prisma.logEntry.count()).toBe(1);
      await pruneByAge(other, expired);
      expect(await prisma.logEntry.count()).toBe(1);
    });
    await pruneByAge(other, expired);
    expect(await made.database.prisma.logEntry.count()).toBe(0);
  });

  test('shortened from a year to a day deletes from long partitions row by row', async () => {
    const agentId = await newAgent();
    await insertLogs(
      made.database,
      agentId,
      Array.from({ length: 300 }, (_, n) => inDays(-n / 20)),
    );
    await divideAll(365);
    let steps = 0;
    while (await pruneByAge(made.database, { days: 1, batch: 50 })) steps += 1;
    expect(steps).toBeGreaterThan(4);
    const left = await made.database.prisma.logEntry.count({ where: { agentId } });
    // A day, plus the length of a partition for this period, which is a day.
    expect(left).toBe(2 * 20);
  });
});
