import { expect, test } from '@jest/globals';
import { createLoopShare } from '../../../server/lib/async/loop-share.js';

const share = 0.5;
const burstMs = 2;
const pieceMs = 1;
const pieces = 100;

function workFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('the work takes its share of the time, in bursts that leave the loop to others', async () => {
  const loop = createLoopShare({ share, burstMs });
  const startedAt = performance.now();
  let done = 0;
  let turnsOfOthers = 0;
  const others = setInterval(() => (turnsOfOthers += 1), 1);
  await new Promise<void>((resolve) => {
    for (let piece = 0; piece < pieces; piece += 1) {
      loop.run({ spentMs: 0 }, () => {
        workFor(pieceMs);
        done += 1;
        if (done === pieces) resolve();
      });
    }
  });
  clearInterval(others);
  expect(performance.now() - startedAt).toBeGreaterThan((pieces * pieceMs) / share - 2 * burstMs);
  expect(turnsOfOthers).toBeGreaterThan(pieces / 5);
});

test('work is done immediately while there is time for it', () => {
  const loop = createLoopShare({ share, burstMs: 1_000 });
  let isDone = false;
  loop.run({ spentMs: 0 }, () => (isDone = true));
  expect(isDone).toBe(true);
});

test('the worker that took the least time comes first, and each piece counts', async () => {
  const loop = createLoopShare({ share, burstMs });
  const order: string[] = [];
  const expensive = { spentMs: 100 };
  const cheap = { spentMs: 0 };
  loop.run({ spentMs: 0 }, () => {
    // So long that the others are all waiting before there is time for one, even if this thread is held up in between.
    workFor(25 * burstMs);
  });
  await new Promise<void>((resolve) => {
    loop.run(expensive, () => {
      order.push('expensive');
      resolve();
    });
    for (const name of ['first', 'second']) {
      loop.run(cheap, () => {
        workFor(pieceMs);
        order.push(name);
      });
    }
  });
  expect(order).toEqual(['first', 'second', 'expensive']);
  expect(cheap.spentMs).toBeGreaterThanOrEqual(2 * pieceMs);
});

test('work that throws neither stops the rest nor is free', async () => {
  const loop = createLoopShare({ share, burstMs });
  const worker = { spentMs: 0 };
  expect(() => {
    loop.run(worker, () => {
      workFor(2 * burstMs);
      throw new Error('broken');
    });
  }).toThrow('broken');
  expect(worker.spentMs).toBeGreaterThanOrEqual(2 * burstMs);
  await new Promise<void>((resolve) => {
    loop.run(worker, resolve);
  });
});
