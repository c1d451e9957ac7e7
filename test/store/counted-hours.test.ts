/** What is remembered of hours never shows: the usage is the same as if everything were read anew. */
import { beforeAll, expect, test } from '@jest/globals';
import { addUsage, type CountedHours, foldStep, readUsage } from '../../server/store/usage.js';
import { useDatabase } from '../helpers/database.js';
import { recordHistory } from '../helpers/history.js';
import { insertAccount, insertAgent } from '../helpers/rows.js';

const made = useDatabase();
const hourMs = 3_600_000;
const start = Date.parse('2026-04-30T21:00:00.000Z');
const range = { from: start - 90_000, to: start + 4 * hourMs + 90_000 };
let accountId: string;

beforeAll(async () => {
  accountId = await insertAccount(made.database);
});

const foldAll = async () => {
  while (await foldStep(made.database));
};

test.each([60, 300])('of buckets of %i seconds, whatever happens', async (bucketSeconds) => {
  const { database } = made;
  const agentId = await insertAgent(database, accountId);
  const record = (...times: number[]) =>
    recordHistory(
      database,
      { accountId, agentId },
      times.map((at) => ({ at, durationMs: 7, failed: at % 2 === 0, tokens: 3 })),
    );
  const counted: CountedHours = new Map();
  const invocationsNow = async () => {
    let invocations = 0;
    for (const sum of [undefined, 'failures', 'durationMs', 'tokens'] as const) {
      const query = { agentId, range, bucketSeconds, sum };
      const usage = await readUsage(database, query, counted);
      expect(usage).toEqual(await readUsage(database, query));
      invocations = usage.reduce((total, bucket) => total + bucket.invocations, 0);
    }
    return invocations;
  };

  await record(start - 1, start, start + 1, start + hourMs - 1, start + 4 * hourMs + 60_001);
  await foldAll();
  expect(await invocationsNow()).toBe(5);
  // In an hour that had none, in one that is known, and on both sides of the end of one.
  await record(start + 2 * hourMs, start + 1_800_000, start + hourMs - 1, start + hourMs);
  expect(await invocationsNow()).toBe(9);
  expect(await invocationsNow()).toBe(9);
  await foldAll();
  expect(await invocationsNow()).toBe(9);
  // One is moved within its hour, so that the hour has as many as before.
  await addUsage(database, [
    { agentId, at: new Date(start), invocations: -1, failures: -1, durationMs: -7, tokens: -3 },
    {
      agentId,
      at: new Date(start + 600_000),
      invocations: 1,
      failures: 1,
      durationMs: 7,
      tokens: 3,
    },
  ]);
  await foldAll();
  expect(await invocationsNow()).toBe(9);
  await database.prisma.usageRollup.deleteMany({ where: { agentId } });
  // What is left is at the edge, where invocations are read, not counts.
  expect(await invocationsNow()).toBe(1);
});

test('of an agent, not of another one', async () => {
  const { database } = made;
  const counted: CountedHours = new Map();
  const usageOf = async (id: string) => {
    const query = { agentId: id, range, bucketSeconds: 300, sum: undefined };
    const usage = await readUsage(database, query, counted);
    return usage.length;
  };
  const agentId = await insertAgent(database, accountId);
  const other = await insertAgent(database, accountId);
  const history = [{ at: start, durationMs: 1, failed: false }];
  await recordHistory(database, { accountId, agentId }, history);
  await foldAll();
  expect([await usageOf(agentId), await usageOf(other), await usageOf(agentId)]).toEqual([1, 0, 1]);
});

test('of the latest hours only', async () => {
  const { database } = made;
  const agentId = await insertAgent(database, accountId);
  const counted: CountedHours = new Map();
  for (let week = 0; week < 30; week += 1) {
    const from = start + week * 168 * hourMs;
    const query = { agentId, bucketSeconds: 300, sum: undefined };
    await readUsage(database, { ...query, range: { from, to: from + 168 * hourMs } }, counted);
  }
  expect(counted.size).toBe(4_000);
});
