import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { createCache } from '../../server/lib/cache.js';

/** A source that counts how often it is asked, and answers when told to. */
function source() {
  const answers: ((value: string | undefined) => void)[] = [];
  return {
    answers,
    load: () => new Promise<string | undefined>((resolve) => answers.push(resolve)),
  };
}

const holding = (value: string) => () => Promise.resolve(value);

describe('a cached value', () => {
  test('is loaded once, and anew when its time is over', async () => {
    let now = 0;
    const cache = createCache<string>({ ttlMs: 100, maxEntries: 10, now: () => now });
    expect(await cache.get('a', holding('old'))).toBe('old');
    now = 99;
    expect(await cache.get('a', holding('new'))).toBe('old');
    now = 100;
    expect(await cache.get('a', holding('new'))).toBe('new');
  });

  test('is loaded once for all that ask at the same time', async () => {
    const cache = createCache<string>({ ttlMs: 100, maxEntries: 10 });
    const { load, answers } = source();
    const asked = [cache.get('a', load), cache.get('a', load), cache.get('a', load)];
    expect(answers).toHaveLength(1);
    answers[0]?.('value');
    expect(await Promise.all(asked)).toEqual(['value', 'value', 'value']);
  });

  test('is had in the order in which it was asked for', async () => {
    const cache = createCache<string>({ ttlMs: 100, maxEntries: 10 });
    // A promise of Node: those of Jest have another constructor, and take longer to be awaited.
    const load = () => setImmediate('value');
    const order: number[] = [];
    const asked = [1, 2, 3].map(async (number) => {
      await cache.get('a', load);
      order.push(number);
    });
    await Promise.all(asked);
    expect(order).toEqual([1, 2, 3]);
  });

  test('that was not there when others asked is looked for again', async () => {
    const cache = createCache<string>({ ttlMs: 100, maxEntries: 10 });
    const { load, answers } = source();
    const early = cache.get('a', load);
    const late = [cache.get('a', load), cache.get('a', load)];
    answers[0]?.(undefined);
    expect(await early).toBeUndefined();
    await setImmediate();
    expect(answers).toHaveLength(2);
    answers[1]?.('created meanwhile');
    expect(await Promise.all(late)).toEqual(['created meanwhile', 'created meanwhile']);
  });

  test('is not kept if there is none, or if loading it failed', async () => {
    const cache = createCache<string>({ ttlMs: 100, maxEntries: 10 });
    expect(await cache.get('a', () => Promise.resolve(undefined))).toBeUndefined();
    await expect(cache.get('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(await cache.get('a', holding('there'))).toBe('there');
  });
});

describe('a miss that may be remembered', () => {
  const missing = () => Promise.resolve(undefined);

  test('is loaded once, and anew when its time is over or anything is invalidated', async () => {
    let now = 0;
    const cache = createCache<string>({
      ttlMs: 100,
      maxEntries: 10,
      maxMisses: 10,
      now: () => now,
    });
    await cache.get('a', missing);
    now = 99;
    expect(await cache.get('a', holding('created'))).toBeUndefined();
    cache.invalidateWhere(() => false);
    expect(await cache.get('a', holding('created'))).toBe('created');
    await cache.get('b', missing);
    cache.clear();
    expect(await cache.get('b', holding('created'))).toBe('created');
    await cache.get('c', missing);
    now = 199;
    expect(await cache.get('c', holding('created'))).toBe('created');
  });

  test('makes room for other misses, and takes no room of a value', async () => {
    const cache = createCache<string>({ ttlMs: 1_000, maxEntries: 1, maxMisses: 1 });
    await cache.get('value', holding('kept'));
    await cache.get('a', missing);
    await cache.get('b', missing);
    expect(await cache.get('value', holding('new'))).toBe('kept');
    expect(await cache.get('b', holding('created'))).toBeUndefined();
    expect(await cache.get('a', holding('created'))).toBe('created');
  });
});

describe('misses of several owners', () => {
  const missing = () => Promise.resolve(undefined);
  const missOwner = (key: string) => (key.startsWith('?') ? undefined : key.slice(0, 1));
  const options = { ttlMs: 1_000, maxEntries: 10, maxMisses: 1, missOwner };

  test('take the room of their own owner only', async () => {
    const cache = createCache<string>(options);
    for (const key of ['a1', 'b1', 'b2']) await cache.get(key, missing);
    expect(await cache.get('a1', holding('created'))).toBeUndefined();
    expect(await cache.get('b2', holding('created'))).toBeUndefined();
    expect(await cache.get('b1', holding('created'))).toBe('created');
  });

  test('are not remembered of a key that has none', async () => {
    const cache = createCache<string>(options);
    await cache.get('?', missing);
    expect(await cache.get('?', holding('created'))).toBe('created');
  });

  test('are as few as their owners, of whom the latest are remembered', async () => {
    const cache = createCache<string>({ ...options, missOwner: (key) => key });
    for (let count = 0; count < 1_001; count += 1) await cache.get(`key ${count}`, missing);
    expect(await cache.get('key 1', holding('created'))).toBeUndefined();
    expect(await cache.get('key 0', holding('created'))).toBe('created');
  });
});

describe('a value that is used often', () => {
  const options = { ttlMs: 100, refreshAfterMs: 60, maxEntries: 10 };

  test('is loaded again ahead of its end, once, and nobody waits for that', async () => {
    let now = 0;
    const cache = createCache<string>({ ...options, now: () => now });
    await cache.get('a', holding('old'));
    now = 60;
    const { load, answers } = source();
    expect(await cache.get('a', load)).toBe('old');
    expect(await cache.get('a', load)).toBe('old');
    expect(answers).toHaveLength(1);
    answers[0]?.('new');
    await Promise.resolve();
    expect(await cache.get('a', load)).toBe('new');
    // Its time is counted from when it was read.
    now = 159;
    expect(await cache.get('a', holding('newest'))).toBe('new');
  });

  test('is gone as soon as it is found gone, and stays to its end if that cannot be told', async () => {
    let now = 0;
    const cache = createCache<string>({ ...options, now: () => now });
    await cache.get('a', holding('a'));
    await cache.get('b', holding('b'));
    now = 60;
    await cache.get('a', () => Promise.resolve(undefined));
    await cache.get('b', () => Promise.reject(new Error('down')));
    await setImmediate();
    expect(await cache.get('a', () => Promise.resolve(undefined))).toBeUndefined();
    now = 99;
    expect(await cache.get('b', () => Promise.reject(new Error('down')))).toBe('b');
    now = 100;
    await expect(cache.get('b', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
  });

  test('does not return by a load that began before it was invalidated', async () => {
    let now = 0;
    const cache = createCache<string>({ ...options, now: () => now });
    await cache.get('a', holding('old'));
    now = 60;
    const { load, answers } = source();
    await cache.get('a', load);
    cache.clear();
    answers[0]?.('stale');
    await setImmediate();
    expect(await cache.get('a', holding('new'))).toBe('new');
  });
});

test('the least recently used entry makes room', async () => {
  const cache = createCache<string>({ ttlMs: 1_000, maxEntries: 2 });
  await cache.get('a', holding('a1'));
  await cache.get('b', holding('b1'));
  await cache.get('a', holding('a2'));
  await cache.get('c', holding('c1'));
  expect(await cache.get('a', holding('a2'))).toBe('a1');
  expect(await cache.get('b', holding('b2'))).toBe('b2');
});

describe('invalidation', () => {
  test('drops what matches, or everything', async () => {
    const cache = createCache<string>({ ttlMs: 1_000, maxEntries: 10 });
    const fill = () =>
      Promise.all(['a', 'b', 'c'].map((key) => cache.get(key, holding(`${key}1`))));
    await fill();
    cache.invalidateWhere((value) => value === 'b1');
    expect(await cache.get('a', holding('a2'))).toBe('a1');
    expect(await cache.get('b', holding('b2'))).toBe('b2');
    expect(await cache.get('c', holding('c2'))).toBe('c1');
    cache.clear();
    expect(await cache.get('c', holding('c2'))).toBe('c2');
  });

  test.each<[string, (cache: ReturnType<typeof createCache<string>>) => void]>([
    [
      'of whatever matches',
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
  ])('%s while it is being loaded keeps the outdated value out', async (_, invalidate) => {
    const cache = createCache<string>({ ttlMs: 1_000, maxEntries: 10 });
    const { load, answers } = source();
    const early = cache.get('a', load);
    invalidate(cache);
    const late = cache.get('a', load);
    answers[0]?.('outdated');
    expect(await early).toBe('outdated');
    answers[1]?.('current');
    expect(await late).toBe('current');
    expect(await cache.get('a', load)).toBe('current');
  });
});
