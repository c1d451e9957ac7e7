import { describe, expect, test } from '@jest/globals';
import { TenantCache } from '../../server/accounts/tenant-cache.js';
import { useStoppedClock } from '../helpers/stopped-clock.js';

const clock = useStoppedClock();

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

/** Of values that depend on what they begin with. */
function cacheOf(options: { keepsMisses?: boolean } = {}) {
  return new TenantCache<string>({ dependsOn: (value, id) => value.startsWith(id), ...options });
}

describe('a value', () => {
  test('is loaded once, and again after less than a second', async () => {
    const cache = cacheOf();
    expect(await cache.get('a', holding('old'))).toBe('old');
    clock.advance(800);
    expect(await cache.get('a', holding('new'))).toBe('old');
    clock.advance(199);
    expect(await cache.get('a', holding('new'))).toBe('new');
  });

  test('expires relative to the start of its load', async () => {
    const cache = cacheOf();
    const { load, answers } = source();
    const early = cache.get('a', load);
    clock.advance(800);
    answers[0]?.('old');
    expect(await early).toBe('old');
    clock.advance(199);
    expect(await cache.get('a', holding('new'))).toBe('new');
  });

  test('is loaded once for concurrent requests, which continue in order', async () => {
    const cache = cacheOf();
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

  test('is evicted when there are ten thousand that were used later', async () => {
    const cache = cacheOf();
    await cache.get('first', holding('old'));
    await cache.get('second', holding('old'));
    for (let n = 1; n < 10_000; n += 1) await cache.get(`filler ${n}`, holding('filler'));
    expect(await cache.get('first', holding('new'))).toBe('new');
    expect(await cache.get('filler 9999', holding('new'))).toBe('filler');
  });

  test('whose load failed is loaded again', async () => {
    const cache = cacheOf();
    await expect(cache.get('a', failing)).rejects.toThrow('down');
    expect(await cache.get('a', holding('back'))).toBe('back');
  });

  test('is not returned any more once a load finds it missing', async () => {
    const cache = cacheOf();
    await cache.get('a', holding('value'));
    clock.advance(999);
    expect(await cache.get('a', missing)).toBeUndefined();
    expect(await cache.get('a', missing)).toBeUndefined();
  });

  test('that was loaded again is not dropped when an earlier load fails', async () => {
    const cache = cacheOf();
    const { load, answers } = source();
    const early = cache.get('a', load);
    cache.invalidate('a');
    expect(await cache.get('a', holding('new'))).toBe('new');
    answers[0]?.(undefined);
    expect(await early).toBeUndefined();
    expect(await cache.get('a', holding('newer'))).toBe('new');
  });
});

describe('a miss', () => {
  test('is loaded every time, since a missing value may be created', async () => {
    const cache = cacheOf();
    expect(await cache.get('a', missing)).toBeUndefined();
    expect(await cache.get('a', holding('created'))).toBe('created');
  });

  test('is kept if configured, until it expires or anything changes', async () => {
    const cache = cacheOf({ keepsMisses: true });
    await cache.get('a', missing);
    expect(await cache.get('a', holding('created'))).toBeUndefined();
    clock.advance(999);
    expect(await cache.get('a', holding('created'))).toBe('created');
    await cache.get('b', missing);
    cache.invalidate('unrelated');
    expect(await cache.get('b', holding('created'))).toBe('created');
  });
});

describe('invalidation', () => {
  test('drops what depends on the id, or everything', async () => {
    const cache = cacheOf();
    for (const key of ['a', 'b']) await cache.get(key, holding(`${key}1`));
    cache.invalidate('b');
    expect(await cache.get('a', holding('a2'))).toBe('a1');
    expect(await cache.get('b', holding('b2'))).toBe('b2');
    cache.clear();
    expect(await cache.get('a', holding('a2'))).toBe('a2');
  });

  const invalidations: [string, (cache: TenantCache<string>) => void][] = [
    [
      'by an id',
      (cache) => {
        cache.invalidate('unrelated');
      },
    ],
    [
      'of everything',
      (cache) => {
        cache.clear();
      },
    ],
  ];

  test.each(invalidations)('%s discards a value whose load began before', async (_, invalidate) => {
    const cache = cacheOf();
    const { load, answers } = source();
    const early = cache.get('a', load);
    invalidate(cache);
    answers[0]?.('outdated');
    expect(await early).toBe('outdated');
    expect(await cache.get('a', holding('current'))).toBe('current');
  });

  test.each(invalidations)('%s covers a second load of the same key', async (_, invalidate) => {
    const cache = cacheOf();
    const { load, answers } = source();
    const requests = [cache.get('a', load)];
    invalidate(cache);
    requests.push(cache.get('a', load));
    answers[0]?.('outdated');
    await requests[0];
    invalidate(cache);
    answers[1]?.('outdated as well');
    expect(await Promise.all(requests)).toEqual(['outdated', 'outdated as well']);
    expect(await cache.get('a', holding('current'))).toBe('current');
  });

  test.each(invalidations)('%s discards a miss that is being loaded', async (_, invalidate) => {
    const cache = cacheOf({ keepsMisses: true });
    const { load, answers } = source();
    const early = cache.get('a', load);
    invalidate(cache);
    answers[0]?.(undefined);
    expect(await early).toBeUndefined();
    expect(await cache.get('a', holding('created'))).toBe('created');
  });
});
