import { expect, test } from '@jest/globals';
import { createWakeUp } from '../../../server/lib/async/wake-up.js';

const forEver = 60_000;
const { signal } = new AbortController();

test('a wait ends with the next wake-up', async () => {
  const wakeUp = createWakeUp();
  const waiting = wakeUp.wait(forEver);
  wakeUp.wake();
  await waiting;
});

test('a wake-up just before the wait is not lost', async () => {
  const wakeUp = createWakeUp();
  wakeUp.wake();
  await wakeUp.wait(forEver, signal);
});

test('a wake-up ends one wait only', async () => {
  const wakeUp = createWakeUp();
  wakeUp.wake();
  await wakeUp.wait(forEver, signal);
  let isOver = false;
  const second = wakeUp.wait(forEver, signal).then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  wakeUp.wake();
  await second;
});

test('wake-ups that are close together end one wait', async () => {
  const wakeUp = createWakeUp();
  wakeUp.wakeSoon();
  wakeUp.wakeSoon();
  await wakeUp.wait(forEver);
  await wakeUp.wait(20);
});

test('an aborted wait rejects with the reason', async () => {
  const wakeUp = createWakeUp();
  const controller = new AbortController();
  const waiting = wakeUp.wait(forEver, controller.signal);
  const reason = new Error('aborted');
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(wakeUp.wait(forEver, controller.signal)).rejects.toBe(reason);
});
