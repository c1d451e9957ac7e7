import { expect, test } from '@jest/globals';
import { createBell } from '../../server/lib/bell.js';

const forEver = 60_000;
const { signal } = new AbortController();

test('whoever waits is woken by a ring', async () => {
  const bell = createBell();
  const waiting = bell.wait(forEver, signal);
  bell.ring();
  await waiting;
});

test('a ring just before the wait is not lost', async () => {
  const bell = createBell();
  bell.ring();
  await bell.wait(forEver, signal);
});

test('a ring counts for one wait only', async () => {
  const bell = createBell();
  bell.ring();
  await bell.wait(forEver, signal);
  const order: string[] = [];
  const waiting = bell.wait(forEver, signal).then(() => order.push('woken'));
  await new Promise(setImmediate);
  order.push('rung');
  bell.ring();
  await waiting;
  expect(order).toEqual(['rung', 'woken']);
});

test('a wait ends by itself when its time is over', async () => {
  await createBell().wait(1, signal);
});

test('a wait that is called off rejects with the reason', async () => {
  const bell = createBell();
  const controller = new AbortController();
  const waiting = bell.wait(forEver, controller.signal);
  const reason = new Error('called off');
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(bell.wait(forEver, controller.signal)).rejects.toBe(reason);
});
