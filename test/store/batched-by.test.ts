/** Calls share statements with those of their own key, and never wait for those of another. */
import { expect, test } from '@jest/globals';
import { batchedBy } from '../../server/store/batched-by.js';

const keyOf = (item: string) => item.slice(0, 1);

test('calls of one key share statements', async () => {
  const batches: string[][] = [];
  const call = batchedBy<string, string>(keyOf, (items) => {
    batches.push([...items]);
    return Promise.resolve(items.map((item) => item.toUpperCase()));
  });
  expect(await Promise.all(['a1', 'a2', 'b1', 'a3', 'b2'].map(call))).toEqual([
    'A1',
    'A2',
    'B1',
    'A3',
    'B2',
  ]);
  expect(batches).toEqual([
    ['a1', 'a2', 'a3'],
    ['b1', 'b2'],
  ]);
});

test('a statement that hangs holds up nobody else', async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const call = batchedBy<string, string>(keyOf, async (items) => {
    if (items[0] === 'a1') await held;
    return [...items];
  });
  const first = call('a1');
  const second = call('a2');
  expect(await call('b1')).toBe('b1');
  release();
  expect(await Promise.all([first, second])).toEqual(['a1', 'a2']);
});

test('a line that was forgotten still runs to its end', async () => {
  const call = batchedBy<string, string>(
    (item) => item,
    (items) => Promise.resolve([...items]),
  );
  const items = Array.from({ length: 3_000 }, (_, n) => `item ${n}`);
  expect(await Promise.all(items.map(call))).toEqual(items);
});
