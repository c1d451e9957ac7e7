/** Background tasks: independent of each other, never run twice at the same time, and stopped cleanly. */
import { describe, expect, test } from '@jest/globals';
import { startTasks } from '../../server/background/tasks.js';
import { createWakeUp } from '../../server/lib/async/wake-up.js';
import { eventually } from '../helpers/eventually.js';

const ignored = {
  started: () => () => undefined,
  failed: () => undefined,
  recovered: () => undefined,
};

/** Resolves when the condition holds. */
const until = (condition: () => boolean) =>
  eventually(() => {
    expect(condition()).toBe(true);
  });

describe('startBackground', () => {
  test('runs again at once while there is work, and pauses when there is none', async () => {
    let waiting = 5;
    let steps = 0;
    const background = startTasks(
      [
        {
          name: 'count down',
          everyMs: 60_000,
          step: () => {
            steps += 1;
            waiting -= 1;
            return Promise.resolve(waiting > 0);
          },
        },
      ],
      ignored,
    );
    await until(() => waiting === 0);
    await background.stop();
    expect(steps).toBe(5);
  });

  test('sleeps while there is no work, until it is woken', async () => {
    const wakeUp = createWakeUp();
    let [waiting, steps] = [1, 0];
    const step = () => {
      steps += 1;
      waiting = Math.max(0, waiting - 1);
      return Promise.resolve(waiting > 0);
    };
    let others = 0;
    const background = startTasks(
      [
        { name: 'count down', everyMs: 0, wakeUp, step },
        { name: 'other', everyMs: 0, step: () => Promise.resolve((others += 1) < 0) },
      ],
      ignored,
    );
    await until(() => others > 50);
    expect(steps).toBe(1);
    waiting = 3;
    wakeUp.wake();
    await until(() => waiting === 0);
    // It is asleep, and stopping does not wait for it.
    await background.stop();
    expect(steps).toBe(4);
  });

  test('never runs a task twice at the same time, and waits for a running one when it stops', async () => {
    let running = 0;
    let most = 0;
    let finished = 0;
    const background = startTasks(
      [
        {
          name: 'slow',
          everyMs: 0,
          step: async () => {
            running += 1;
            most = Math.max(most, running);
            await new Promise(setImmediate);
            running -= 1;
            finished += 1;
            return false;
          },
        },
      ],
      ignored,
    );
    await until(() => finished >= 3 && running === 1);
    await background.stop();
    expect([most, running]).toEqual([1, 0]);
    const before = finished;
    for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
    expect(finished).toBe(before);
  });

  test('runs other tasks while one hangs, and tells the hanging one to end', async () => {
    let others = 0;
    const background = startTasks(
      [
        {
          name: 'hangs',
          everyMs: 0,
          step: (signal) =>
            new Promise((_, reject) => {
              signal.addEventListener('abort', () => {
                reject(new Error('interrupted'));
              });
            }),
        },
        { name: 'works', everyMs: 0, step: () => Promise.resolve((others += 1) < 10) },
      ],
      ignored,
    );
    await until(() => others >= 10);
    await background.stop();
  });

  test('reports a failure once, keeps retrying, and reports the recovery', async () => {
    const reports: string[] = [];
    let tries = 0;
    const background = startTasks(
      [
        {
          name: 'shaky',
          everyMs: 1,
          step: () => {
            tries += 1;
            return tries < 4 ? Promise.reject(new Error('not yet')) : Promise.resolve(false);
          },
        },
      ],
      {
        ...ignored,
        failed: (task, error) => reports.push(`${task} failed: ${String(error)}`),
        recovered: (task) => reports.push(`${task} recovered`),
      },
    );
    await until(() => tries >= 6);
    await background.stop();
    expect(reports).toEqual(['shaky failed: Error: not yet', 'shaky recovered']);
  });

  test('reports each finished step, but not failed steps or those left to another instance', async () => {
    const results = [true, undefined, 'fails', false] as const;
    let steps = 0;
    const succeeded: string[] = [];
    const background = startTasks(
      [
        {
          name: 'mixed',
          everyMs: 0,
          step: () => {
            const result = results[steps];
            steps += 1;
            if (result === 'fails') return Promise.reject(new Error('not now'));
            return Promise.resolve(steps > results.length ? undefined : result);
          },
        },
      ],
      { ...ignored, started: (task) => () => succeeded.push(task) },
    );
    await until(() => steps > results.length);
    await background.stop();
    expect(succeeded).toEqual(['mixed', 'mixed']);
  });
});
