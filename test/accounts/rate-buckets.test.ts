import type pg from 'pg';
import { describe, expect, test } from '@jest/globals';
import {
  createMemoryBuckets,
  type Take,
  type TokenCount,
} from '../../server/lib/async/token-bucket.js';
import type { Queryable, Statement } from '../../server/postgres/connection.js';
import { createRateBuckets, pruneRateBuckets } from '../../server/accounts/rate-buckets.js';
import { openTestDatabase, useConnections, useDatabase } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';

const fixture = useDatabase();
const secondInstance = useConnections(fixture);

/** Refills too slowly for a test to notice. */
const burst = { capacity: 100, refillPerSecond: 1e-6 };
const allowed = (takes: Take[]) => takes.filter((take) => take.allowed);

/** The key of an account's own bucket. */
const bucketOf = (accountId: string) => ({ accountId_agentId: { accountId, agentId: '' } });

describe('shared buckets', () => {
  test('allow exactly the burst of 500 concurrent takes on two instances', async () => {
    const first = createRateBuckets(fixture.database);
    const second = createRateBuckets(secondInstance);
    const takes = await Promise.all(
      Array.from({ length: 500 }, async (_, index) =>
        (index % 2 === 0 ? first : second).take('burst', burst),
      ),
    );
    expect(allowed(takes)).toHaveLength(100);
    // Each of the hundred got a different number of remaining tokens.
    const remaining = allowed(takes).map((take) => take.remaining);
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, left) => left));
  });

  test('allow exactly the burst of takes in separate statements', async () => {
    const takes = await Promise.all(
      Array.from({ length: 60 }, async () =>
        createRateBuckets(fixture.database).take('alone', { ...burst, capacity: 20 }),
      ),
    );
    expect(allowed(takes)).toHaveLength(20);
  });

  test('are independent of each other', async () => {
    const buckets = createRateBuckets(fixture.database);
    const one = { ...burst, capacity: 1 };
    expect((await buckets.take('mine', one)).allowed).toBe(true);
    expect((await buckets.take('mine', one)).allowed).toBe(false);
    expect((await buckets.take('yours', one)).allowed).toBe(true);
    expect((await buckets.take('mine/agent', one)).allowed).toBe(true);
    expect((await buckets.take('mine/agent', one)).allowed).toBe(false);
    expect((await buckets.take('mine/other', one)).allowed).toBe(true);
    expect((await buckets.take('yours/agent', one)).allowed).toBe(true);
  });

  test('change nothing when they reject', async () => {
    const buckets = createRateBuckets(fixture.database);
    const row = () =>
      fixture.database.prisma.rateBucket.findUniqueOrThrow({ where: bucketOf('empty') });
    await buckets.take('empty', { ...burst, capacity: 1 });
    const before = await row();
    const refused = await buckets.take('empty', { ...burst, capacity: 1 });
    expect(refused).toMatchObject({ allowed: false, limit: 1, remaining: 0 });
    expect(refused.retryAfter).toBeGreaterThan(900_000);
    expect(await row()).toEqual(before);
  });

  test('are described without a token being taken, whether they exist or not', async () => {
    const buckets = createRateBuckets(fixture.database);
    expect(await buckets.take('new', burst, 0)).toMatchObject({
      remaining: 100,
      resetAt: expect.any(Number),
    });
    expect(await fixture.database.prisma.rateBucket.count({ where: { accountId: 'new' } })).toBe(0);
    await buckets.take('new', burst);
    const looks = await Promise.all([1, 2, 3].map(async () => buckets.take('new', burst, 0)));
    expect(looks.map(({ remaining }) => remaining)).toEqual([99, 99, 99]);
  });

  test('get tokens back, and never more than their size', async () => {
    const buckets = createRateBuckets(fixture.database);
    const two = { ...burst, capacity: 2 };
    await Promise.all([buckets.take('back', two), buckets.take('back', two)]);
    expect((await buckets.take('back', two)).allowed).toBe(false);
    expect(await buckets.take('back', two, -1)).toMatchObject({ allowed: true, remaining: 1 });
    const returns = await Promise.all([1, 2, 3].map(async () => buckets.take('back', two, -1)));
    expect(returns.map(({ remaining }) => remaining)).toEqual([2, 2, 2]);
    expect(await buckets.take('never taken', two, -1)).toMatchObject({ remaining: 2 });
  });

  test('may be overdrawn by some requests and not by others, however they are mixed', async () => {
    const buckets = createRateBuckets(fixture.database);
    const limit = { ...burst, capacity: 10 };
    const reserve = { ...limit, overdraft: 3 };
    const takes = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => buckets.take('mixed', n % 2 ? limit : reserve)),
    );
    expect(allowed(takes)).toHaveLength(13);
    expect((await buckets.take('mixed', reserve)).allowed).toBe(false);
  });

  test('refill with time, and say when', async () => {
    const buckets = createRateBuckets(fixture.database);
    const limit = { capacity: 1, refillPerSecond: 10 };
    const first = await buckets.take('refill', limit);
    expect(first).toMatchObject({ allowed: true, remaining: 0, retryAfter: 0 });
    const { fullAt } = await fixture.database.prisma.rateBucket.findUniqueOrThrow({
      where: bucketOf('refill'),
    });
    expect(first.resetAt).toBe(Math.ceil(fullAt));
    const refused = await buckets.take('refill', { capacity: 1, refillPerSecond: 0.5 });
    expect(refused).toMatchObject({ allowed: false, retryAfter: 2 });
    await eventually(async () => {
      expect(await buckets.take('refill', limit)).toMatchObject({ allowed: true });
    });
  });

  test('follow an account to its new tier', async () => {
    const buckets = createRateBuckets(fixture.database);
    await buckets.take('tier', { ...burst, capacity: 20 });
    expect(await buckets.take('tier', { ...burst, capacity: 5 })).toMatchObject({
      allowed: true,
      limit: 5,
      remaining: 4,
    });
  });

  test('are pruned once they are full again', async () => {
    const buckets = createRateBuckets(fixture.database);
    await buckets.take('soon full', { capacity: 1, refillPerSecond: 1_000 });
    await buckets.take('not full', burst);
    await eventually(async () => {
      await pruneRateBuckets(fixture.database, new Date(), 1);
      const left = await fixture.database.prisma.rateBucket.findMany();
      const accounts = left.map(({ accountId }) => accountId);
      expect(accounts).toContain('not full');
      expect(accounts).not.toContain('soon full');
    });
  });

  test('reject every waiting take when the database is unavailable', async () => {
    const gone = await openTestDatabase(fixture.url);
    await gone.close();
    const buckets = createRateBuckets(gone);
    const take = async () => buckets.take('x', burst);
    const takes = await Promise.allSettled([take(), take()]);
    expect(takes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

test('buckets in the database and in memory behave the same for any sequence of takes', async () => {
  let now = Date.UTC(2030, 0, 1);
  const inMemory = createMemoryBuckets({ now: () => now });
  const shared = createRateBuckets(onClock(() => now));
  const random = randomNumbers(20_300_101);
  const limits = [
    { capacity: 100, refillPerSecond: 1 },
    { capacity: 3, refillPerSecond: 0.3 },
    { capacity: 20_000, refillPerSecond: 10_000 / 60 },
  ];
  const counts: TokenCount[] = [1, 1, 1, 0, -1];
  // A bucket that does not exist yet has no time in the database.
  for (const [which, limit] of limits.entries()) {
    const id = `compared ${which}`;
    expect(await shared.take(id, limit)).toEqual(inMemory.take(id, limit));
  }
  for (let round = 0; round < 300; round += 1) {
    const which = Math.floor(random() * limits.length);
    const limit = {
      ...(limits[which] ?? { capacity: 1, refillPerSecond: 1 }),
      overdraft: random() < 0.5 ? 0 : 2,
    };
    const tokens = counts[Math.floor(random() * counts.length)] ?? 1;
    now += random() < 0.5 ? 0 : Math.floor(random() ** 4 * 20_000);
    const id = `compared ${which}`;
    expect(await shared.take(id, limit, tokens)).toEqual(inMemory.take(id, limit, tokens));
  }
});

/** The same statements, on a clock that the test sets. */
function onClock(now: () => number): Queryable {
  return {
    run: async <Row extends pg.QueryResultRow>({ text }: Statement, values: unknown[]) => {
      const clock = `to_timestamp(${now()} / 1000.0)`;
      const query = text.replaceAll('clock_timestamp()', clock);
      return (await fixture.database.pool.query<Row>(query, values)).rows;
    },
  };
}

/** Seeded random numbers, so that a failure can be repeated (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
