import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { type Cache, createCache } from '../../../server/lib/async/cache.js';

/** A source whose results the test provides. */
function source() {
  const answers: ((value: string | undefined) => void)[] = [];
  return {
    answers,
    load: () => new Promise<string | undefined>((resolve) => answers.push(resolve)),
  };
}

const holding = (value: string) => () => Promise.resolve(value);
const missing = () => Promise.resolve(undefined);
const failing = () => Promise.reject(new Error('down'));

/** With a clock that the test sets. */
function timedCache(options: { cachesMisses?: boolean } = {}) {
  const clock = { now: 1_000 };
  const cache = createCache<string>({
    ttlMs: 100,
    maxEntries: 10,
    now: () => clock.now,
    ...options,
  });
  return { cache, clock };
}

describe('a cached value', () => {
  test('is loaded once, and again when it has expired', async () => {
    const { cache, clock } = timedCache();
    expect(await cache.get('a', holding('old'))).toBe('old');
    clock.now += 60;
    expect(await cache.get('a', holding('new'))).toBe('old');
    clock.now += 41;
    expect(await cache.get('a', holding('new'))).toBe('new');
  });

  test('expires relative to the start of its load', async () => {
    const { cache, clock } = timedCache();
    const { load, answers } = source();
    const early = cache.get('a', load);
    clock.now += 60;
    answers[0]?.('old');
    expect(await early).toBe('old');
    clock.now += 41;
    expect(await cache.get('a', holding('new'))).toBe('new');
  });

  test('is loaded once for concurrent requests, which continue in order', async () => {
    const { cache } = timedCache();
    const { load, answers } = source();
    const order: string[] = [];
    const requests = [1, 2, 3].map(async (number) => {
      order.push(`${number} has ${await cache.get('a', load)}`);
    });
    expect(answers).toHaveLength(1);
    answers[0]?.('value');
    await Promise.all(requests);
    expect(order).toEqual(['1 has value', '2 has value', '3 has value']);
  });

  test('is evicted when it is the least recently used', async () => {
    const cache = createCache<string>({ ttlMs: 1_000, maxEntries: 2 });
    await cache.get('a', holding('a1'));
    await cache.get('b', holding('b1'));
    await cache.get('a', holding('a2'));
    await cache.get('c', holding('c1'));
    expect(await cache.get('a', holding('a2'))).toBe('a1');
    expect(await cache.get('b', holding('b2'))).toBe('b2');
  });

  test('whose load failed is loaded again', async () => {
    const { cache } = timedCache();
    await expect(cache.get('a', failing)).rejects.toThrow('down');
    expect(await cache.get('a', holding('back'))).toBe('back');
  });

  test('is not returned any more once a load finds it missing', async () => {
    const { cache, clock } = timedCache();
    await cache.get('a', holding('value'));
    clock.now += 101;
    expect(await cache.get('a', missing)).toBeUndefined();
    expect(await cache.get('a', missing)).toBeUndefined();
  });
});

describe('a value in use that expires soon', () => {
  test('is reloaded once in the background, while requests still get it', async () => {
    const { cache, clock } = timedCache();
    await cache.get('a', holding('old'));
    clock.now += 70;
    const { load, answers } = source();
    expect(await cache.get('a', load)).toBe('old');
    expect(await cache.get('a', load)).toBe('old');
    expect(answers).toHaveLength(1);
    answers[0]?.('new');
    await setImmediate();
    clock.now += 60;
    expect(await cache.get('a', holding('newest'))).toBe('new');
  });

  test('is not served after its expiry while a reload is slow', async () => {
    const { cache, clock } = timedCache();
    await cache.get('a', holding('old'));
    clock.now += 70;
    const { load, answers } = source();
    await cache.get('a', load);
    clock.now += 31;
    const late = cache.get('a', load);
    answers[0]?.('new');
    expect(await late).toBe('new');
  });

  test('is served until it expires if reloading fails', async () => {
    const { cache, clock } = timedCache();
    await cache.get('a', holding('value'));
    clock.now += 70;
    expect(await cache.get('a', failing)).toBe('value');
    await setImmediate();
    clock.now += 30;
    expect(await cache.get('a', failing)).toBe('value');
    await setImmediate();
    clock.now += 1;
    await expect(cache.get('a', failing)).rejects.toThrow('down');
  });

  test('is dropped once a reload finds it gone', async () => {
    const { cache, clock } = timedCache();
    await cache.get('a', holding('value'));
    clock.now += 70;
    expect(await cache.get('a', missing)).toBe('value');
    await setImmediate();
    expect(await cache.get('a', missing)).toBeUndefined();
  });

  test('is not restored by a reload that began before its invalidation', async () => {
    const { cache, clock } = timedCache();
    await cache.get('a', holding('old'));
    clock.now += 70;
    const { load, answers } = source();
    await cache.get('a', load);
    cache.invalidateWhere((value) => value === 'old');
    answers[0]?.('outdated');
    await setImmediate();
    expect(await cache.get('a', holding('current'))).toBe('current');
  });
});

describe('a miss', () => {
  test('is loaded every time, since a missing value may be created', async () => {
    const { cache } = timedCache();
    expect(await cache.get('a', missing)).toBeUndefined();
    expect(await cache.get('a', holding('created'))).toBe('created');
  });

  test('is cached if configured, until it expires or anything is invalidated', async () => {
    const { cache, clock } = timedCache({ cachesMisses: true });
    await cache.get('a', missing);
    expect(await cache.get('a', holding('created'))).toBeUndefined();
    clock.now += 101;
    expect(await cache.get('a', holding('created'))).toBe('created');
    await cache.get('b', missing);
    cache.invalidateWhere(() => false);
    expect(await cache.get('b', holding('created'))).toBe('created');
  });

  test('is not reloaded in the background', async () => {
    const { cache, clock } = timedCache({ cachesMisses: true });
    await cache.get('a', missing);
    clock.now += 70;
    const { load, answers } = source();
    expect(await cache.get('a', load)).toBeUndefined();
    expect(answers).toHaveLength(0);
  });

  test('takes one entry, like a value', async () => {
    const cache = createCache<string>({ ttlMs: 1_000, maxEntries: 2, cachesMisses: true });
    for (const key of ['a', 'b', 'c']) await cache.get(key, missing);
    expect(await cache.get('c', holding('created'))).toBeUndefined();
    expect(await cache.get('a', holding('created'))).toBe('created');
  });
});

describe('invalidation', () => {
  test('drops matching values, or everything', async () => {
    const { cache } = timedCache();
    for (const key of ['a', 'b']) await cache.get(key, holding(`${key}1`));
    cache.invalidateWhere((value) => value === 'b1');
    expect(await cache.get('a', holding('a2'))).toBe('a1');
    expect(await cache.get('b', holding('b2'))).toBe('b2');
    cache.clear();
    expect(await cache.get('a', holding('a2'))).toBe('a2');
  });

  const invalidations: [string, (cache: Cache<string>) => void][] = [
    [
      'of matching values',
      (cache) => {
        cache.invalidateWhere(() => false);
      },
    ],
    [
      'of everything',
      (cache) => {
        cache.clear();
      },
    ],
  ];

  test.each(invalidations)(
    '%s discards a value whose load began before it',
    async (_, invalidate) => {
      const { cache } = timedCache();
      const { load, answers } = source();
      const early = cache.get('a', load);
      invalidate(cache);
      answers[0]?.('outdated');
      expect(await early).toBe('outdated');
      expect(await cache.get('a', holding('current'))).toBe('current');
    },
  );

  test.each(invalidations)('%s covers a second load of the same key', async (_, invalidate) => {
    const { cache } = timedCache();
    const { load, answers } = source();
    const requests = [cache.get('a', load)];
    invalidate(cache);
    requests.push(cache.get('a', load));
    answers[0]?.('outdated');
    await setImmediate();
    invalidate(cache);
    answers[1]?.('outdated as well');
    expect(await Promise.all(requests)).toEqual(['outdated', 'outdated as well']);
    expect(await cache.get('a', holding('current'))).toBe('current');
  });

  test.each(invalidations)(
    '%s during a load of a missing value is not an error',
    async (_, invalidate) => {
      const { cache } = timedCache({ cachesMisses: true });
      const { load, answers } = source();
      const early = cache.get('a', load);
      invalidate(cache);
      answers[0]?.(undefined);
      expect(await early).toBeUndefined();
      expect(await cache.get('a', holding('created'))).toBe('created');
    },
  );
});
