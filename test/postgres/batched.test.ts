/** Calls that are made while a statement runs share the next one. */
import { setImmediate as nextIteration } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { batched } from '../../server/postgres/batched.js';
import { StoreUnavailable } from '../../server/postgres/errors.js';

/** Ends each statement when the test says so. Items of one letter share a key. */
function stepwise() {
  const batches: string[][] = [];
  const gates: (() => void)[] = [];
  const call = batched<string, string>(
    async (items) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => gates.push(resolve));
      return items.map((item) => item.toUpperCase());
    },
    { keyOf: (item) => item.charAt(0), maxItems: 3 },
  );
  return { call, batches, next: () => gates.shift()?.() };
}

describe('calls', () => {
  test('run at once while no statement runs, and together after it, each with its own result', async () => {
    const { call, batches, next } = stepwise();
    const first = call('a1');
    await nextIteration();
    const others = Promise.all([call('a2'), call('a3')]);
    expect(batches).toEqual([['a1']]);
    next();
    expect(await first).toBe('A1');
    await eventually(() => {
      expect(batches).toEqual([['a1'], ['a2', 'a3']]);
    });
    next();
    expect(await others).toEqual(['A2', 'A3']);
  });

  test('with another key do not wait for the statement', async () => {
    const { call, batches } = stepwise();
    void call('a1');
    await nextIteration();
    void call('b1');
    await nextIteration();
    expect(batches).toEqual([['a1'], ['b1']]);
  });

  test('that are too many for one statement run with the one after it', async () => {
    const { call, batches, next } = stepwise();
    const calls = Promise.all(['a1', 'a2', 'a3', 'a4', 'a5'].map((item) => call(item)));
    for (const count of [1, 2]) {
      await eventually(() => {
        expect(batches).toHaveLength(count);
      });
      next();
    }
    expect(batches).toEqual([
      ['a1', 'a2', 'a3'],
      ['a4', 'a5'],
    ]);
    expect(await calls).toHaveLength(5);
  });
});

describe('a batch', () => {
  /** Makes the calls in one iteration, so that they share a batch. */
  const share = (run: (items: readonly string[]) => string[]) => {
    const call = batched<string, string>((items) => Promise.resolve().then(() => run(items)));
    return (...items: string[]) =>
      Promise.allSettled(items.map((item) => call(item))).then((results) =>
        results.map(({ status }) => status),
      );
  };

  test('that fails because of one item is repeated item by item', async () => {
    const call = share((items) => {
      if (items.includes('poison')) throw new Error('refused');
      return [...items];
    });
    expect(await call('a', 'poison', 'b')).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('is not repeated item by item while the database is unavailable', async () => {
    let statements = 0;
    const call = share(() => {
      statements += 1;
      throw new StoreUnavailable('gone');
    });
    expect(await call('a', 'b', 'c')).toEqual(['rejected', 'rejected', 'rejected']);
    expect(statements).toBe(1);
  });
});
