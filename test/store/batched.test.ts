import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { batched, restTwiceAsLong, restForCompany } from '../../server/store/batched.js';
import { StoreUnavailable } from '../../server/store/errors.js';

const weigh = () => 1;

/** Runs batches one after the other, each when the test says so. */
function stepwise(inFlight = 1, minConcurrentBatch = 3) {
  const batches: string[][] = [];
  const gates: (() => void)[] = [];
  const call = batched<string, string>(
    async (items) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => gates.push(resolve));
      return items.map((item) => item.toUpperCase());
    },
    { weigh, inFlight, minConcurrentBatch },
  );
  return { call, batches, next: () => gates.shift()?.() };
}

describe('calls', () => {
  test('that come together go together, when nothing is under way', async () => {
    const { call, batches } = stepwise();
    for (const item of ['a', 'b']) void call(item);
    await eventually(() => {
      expect(batches).toEqual([['a', 'b']]);
    });
  });

  test('that come turn by turn go together, up to as many as are worth a statement', async () => {
    const { call, batches } = stepwise(1, 6);
    for (const handful of ['ab', 'cd', 'ef', 'gh']) {
      for (const item of handful) void call(item);
      await nextTurn();
    }
    expect(batches).toEqual([['a', 'b', 'c', 'd', 'e', 'f']]);
  });

  test('that come alone go at once', async () => {
    const { call, batches } = stepwise();
    void call('a');
    await nextTurn();
    expect(batches).toEqual([['a']]);
  });

  test('that meet while others are under way go together, and each gets its own result', async () => {
    const { call, batches, next } = stepwise();
    const first = call('a');
    await nextTurn();
    const others = Promise.all([call('b'), call('c'), call('d')]);
    next();
    expect(await first).toBe('A');
    await eventually(() => {
      expect(batches).toHaveLength(2);
    });
    next();
    expect(await others).toEqual(['B', 'C', 'D']);
    expect(batches).toEqual([['a'], ['b', 'c', 'd']]);
  });

  test('use a second statement at a time once there are three of them, and no third', async () => {
    const { call, batches } = stepwise(2);
    const come = async (...items: string[]) => {
      for (const item of items) void call(item);
      await nextTurn();
    };
    await come('a');
    await come('b', 'c');
    expect(batches).toEqual([['a']]);
    await come('d');
    expect(batches).toEqual([['a'], ['b', 'c', 'd']]);
    await come('e', 'f', 'g', 'h');
    expect(batches).toHaveLength(2);
  });
});

describe('a batch', () => {
  test('is no larger and no heavier than it may be, but never empty', async () => {
    const batches: number[][] = [];
    const call = batched<number, number>(
      async (items) => {
        batches.push([...items]);
        await Promise.resolve();
        return [...items];
      },
      { weigh: (item) => item, inFlight: 1, maxItems: 3, maxWeight: 10 },
    );
    await Promise.all([1, 50, 1, 1, 1, 1, 9, 2].map((item) => call(item)));
    expect(batches).toEqual([[1], [50], [1, 1, 1], [1, 9], [2]]);
  });

  test('that fails because of one of them is taken apart', async () => {
    const call = batched<string, string>(
      async (items) => {
        await Promise.resolve();
        if (items.includes('poison')) throw new Error('refused');
        return [...items];
      },
      { weigh, inFlight: 1 },
    );
    const results = await Promise.allSettled(['a', 'b', 'poison', 'c'].map((item) => call(item)));
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
  });

  test('is not tried again piece by piece when the database cannot be asked', async () => {
    let statements = 0;
    const call = batched<string, string>(
      async () => {
        statements += 1;
        await Promise.resolve();
        throw new StoreUnavailable('gone');
      },
      { weigh, inFlight: 1 },
    );
    const results = await Promise.allSettled(['a', 'b', 'c'].map((item) => call(item)));
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(statements).toBe(1);
  });

  test('that a deadlock undid is tried again piece by piece', async () => {
    const cause = Object.assign(new Error('deadlock detected'), { code: '40P01' });
    const call = batched<string, string>(
      async (items) => {
        await Promise.resolve();
        if (items.length > 1) throw new StoreUnavailable('in the way', { cause });
        return [...items];
      },
      { weigh, inFlight: 1 },
    );
    expect(await Promise.all(['a', 'b', 'c'].map((item) => call(item)))).toEqual(['a', 'b', 'c']);
  });
});

test('a line that rests leaves twice as much time free as a statement took', async () => {
  const starts: number[] = [];
  const call = batched<string, string>(
    async (items) => {
      starts.push(performance.now());
      await new Promise((resolve) => setTimeout(resolve, 40));
      return [...items];
    },
    { weigh, inFlight: 1, restMs: restTwiceAsLong },
  );
  await call('a');
  await call('b');
  const [first = 0, second = 0] = starts;
  expect(second - first).toBeGreaterThanOrEqual(115);
});

describe('a line that waits for company', () => {
  const line = () => {
    const batches: string[][] = [];
    const call = batched<string, string>(
      async (items) => {
        batches.push([...items]);
        await new Promise((resolve) => setTimeout(resolve, 5));
        return [...items];
      },
      { weigh, inFlight: 1, restMs: restForCompany },
    );
    return { batches, call };
  };

  test('takes those along who come back at once, after a batch that had some', async () => {
    const { batches, call } = line();
    await Promise.all(['a', 'b', 'c'].map((item) => call(item)));
    await Promise.all(['d', 'e'].map((item) => call(item)));
    expect(batches).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
  });

  test('is no slower for one who is alone', () => {
    expect(restForCompany(1, 4)).toBe(0);
    expect(restForCompany(2, 4)).toBe(4);
    expect(restForCompany(2, 40)).toBe(5);
  });
});
