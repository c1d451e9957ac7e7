/** Turns of accounts at what occupies the event loop. */
import { expect, test } from '@jest/globals';
import { createTurns } from '../../server/lib/turns.js';

/** Occupies the event loop. */
function occupy(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('between two turns of an account, others have the loop for as long as the first one took', async () => {
  const takeTurn = createTurns();
  const order: string[] = [];
  const first = takeTurn('a', () => {
    occupy(30);
    order.push('a1');
  });
  const second = takeTurn('a', () => void order.push('a2'));
  const other = takeTurn('b', () => void order.push('b1'));
  let iterations = 0;
  const count = () => {
    iterations += 1;
    if (!order.includes('a2')) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all([first, second, other]);
  expect(order).toEqual(['a1', 'b1', 'a2']);
  // Without a rest there would be one or two.
  expect(iterations).toBeGreaterThan(10);
});

test('work that fails is told to its caller, and the next one has its turn', async () => {
  const takeTurn = createTurns();
  const failed = takeTurn('a', () => {
    throw new Error('no');
  });
  const next = takeTurn('a', () => undefined);
  await expect(failed).rejects.toThrow('no');
  await expect(next).resolves.toBeUndefined();
});

test('what was spent on something before its turn is rested from as well', async () => {
  const takeTurn = createTurns();
  const startedAt = performance.now();
  await takeTurn('a', () => undefined, 20);
  await takeTurn('a', () => undefined);
  expect(performance.now() - startedAt).toBeGreaterThan(3 * 20);
});
