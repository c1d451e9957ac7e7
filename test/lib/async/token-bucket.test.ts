import { describe, expect, test } from '@jest/globals';
import { createMemoryBuckets, type TokenCount } from '../../../server/lib/async/token-bucket.js';

const free = { capacity: 100, refillPerSecond: 1 };

function bucketsAt(start: number) {
  let now = start;
  const buckets = createMemoryBuckets({ now: () => now });
  return {
    take: (limit = free, tokens: TokenCount = 1) => buckets.take('account', limit, tokens),
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

describe('a bucket', () => {
  test('starts full, and counts down', () => {
    const { take } = bucketsAt(50_000);
    expect(take()).toEqual({
      allowed: true,
      limit: 100,
      remaining: 99,
      resetAt: 51,
      retryAfter: 0,
    });
    expect(take()).toEqual({
      allowed: true,
      limit: 100,
      remaining: 98,
      resetAt: 52,
      retryAfter: 0,
    });
  });

  test('allows exactly its size at once, and rejects without taking a token', () => {
    const { take, pass } = bucketsAt(0);
    const takes = Array.from({ length: 150 }, () => take());
    expect(takes.filter(({ allowed }) => allowed)).toHaveLength(100);
    expect(takes.at(-1)).toEqual({
      allowed: false,
      limit: 100,
      remaining: 0,
      resetAt: 100,
      retryAfter: 1,
    });
    pass(1_000);
    expect(take().allowed).toBe(true);
    expect(take().allowed).toBe(false);
  });

  test('returns the time until the next token', () => {
    const { take, pass } = bucketsAt(0);
    const slow = { capacity: 1, refillPerSecond: 0.1 };
    take(slow);
    expect(take(slow)).toMatchObject({ allowed: false, retryAfter: 10 });
    pass(7_500);
    expect(take(slow)).toMatchObject({ allowed: false, retryAfter: 3 });
    pass(2_500);
    expect(take(slow)).toMatchObject({ allowed: true });
  });

  test('never holds more than its size', () => {
    const { take, pass } = bucketsAt(0);
    take();
    pass(3_600_000);
    expect(take().remaining).toBe(99);
  });

  test('is described without a token being taken, also when it is empty', () => {
    const { take } = bucketsAt(0);
    const two = { capacity: 2, refillPerSecond: 1 };
    expect(take(two, 0)).toMatchObject({ allowed: true, remaining: 2, resetAt: 0 });
    take(two);
    take(two);
    for (let count = 0; count < 3; count += 1) {
      expect(take(two, 0)).toMatchObject({ remaining: 0, resetAt: 2 });
    }
  });

  test('gets a token back, and never more than its size', () => {
    const { take } = bucketsAt(0);
    const two = { capacity: 2, refillPerSecond: 1 };
    take(two);
    take(two);
    expect(take(two, -1)).toMatchObject({ allowed: true, remaining: 1 });
    take(two, -1);
    expect(take(two, -1)).toMatchObject({ remaining: 2 });
  });

  test('may be overdrawn, and is refilled from there', () => {
    const { take, pass } = bucketsAt(0);
    const two = { capacity: 2, refillPerSecond: 1 };
    const reserve = { ...two, overdraft: 1 };
    take(two);
    take(two);
    expect(take(two)).toMatchObject({ allowed: false, retryAfter: 1 });
    expect(take(reserve)).toMatchObject({ allowed: true, remaining: 0, resetAt: 3 });
    expect(take(reserve)).toMatchObject({ allowed: false, retryAfter: 1 });
    expect(take(two)).toMatchObject({ allowed: false, retryAfter: 2 });
    pass(1_000);
    expect(take(two).allowed).toBe(false);
    expect(take(reserve).allowed).toBe(true);
  });

  test('refills nothing while the clock runs backwards', () => {
    const { take, pass } = bucketsAt(100_000);
    for (let index = 0; index < 100; index += 1) take();
    pass(-50_000);
    expect(take().allowed).toBe(false);
    pass(51_000);
    expect(take().allowed).toBe(true);
  });
});

test('the least recently used bucket is evicted first', () => {
  const buckets = createMemoryBuckets({ now: () => 0, maxBuckets: 2 });
  const one = { capacity: 1, refillPerSecond: 0.001 };
  for (const id of ['a', 'b', 'c']) buckets.take(id, one);
  expect(buckets.take('c', one).allowed).toBe(false);
  expect(buckets.take('a', one).allowed).toBe(true);
});
