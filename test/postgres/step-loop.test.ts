/** The loop of background steps: one after another, each until nothing is left, and stopped cleanly. */
import { describe, expect, test } from '@jest/globals';
import { startStepLoop, type Step, type StepObserver } from '../../server/postgres/step-loop.js';
import { eventually } from '../helpers/eventually.js';

const observer = (reports: string[] = []): StepObserver => ({
  telemetry: { task: (name) => () => void reports.push(`${name} succeeded`) },
  log: {
    info: (fields: object) => void reports.push(`${nameIn(fields)} recovered`),
    warn: (fields: object) => void reports.push(`${nameIn(fields)} failed`),
  },
});

const nameIn = (fields: object) => ('task' in fields ? String(fields.task) : '');

const step = (name: string, run: Step['run'], everyMs = 0): Step => ({ name, everyMs, run });

/** Resolves when the condition holds. */
const until = (condition: () => boolean) =>
  eventually(() => {
    expect(condition()).toBe(true);
  });

describe('A loop of steps', () => {
  test('runs each step until nothing is left, before the next one, and then rests', async () => {
    const order: string[] = [];
    const countDown = (name: string) => {
      let left = 3;
      return step(
        name,
        () => {
          order.push(name);
          left -= 1;
          return Promise.resolve(left > 0);
        },
        60_000,
      );
    };
    const loop = startStepLoop([countDown('first'), countDown('second')], observer());
    await until(() => order.length === 6);
    // It rests, and stopping does not wait for it.
    await loop.stop();
    expect(order).toEqual(['first', 'first', 'first', 'second', 'second', 'second']);
  });

  test('lets the others have a turn while a step always has more to do', async () => {
    let [busy, others] = [0, 0];
    const loop = startStepLoop(
      [
        step('busy', () => {
          busy += 1;
          return new Promise((resolve) => setImmediate(resolve, true));
        }),
        step('other', () => Promise.resolve((others += 1) < 0)),
      ],
      observer(),
    );
    await until(() => others >= 2);
    expect(busy).toBeGreaterThan(2);
    await loop.stop();
  });

  test('never runs two steps at the same time, and finishes the running one when it stops', async () => {
    let [running, most, finished] = [0, 0, 0];
    const slow = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      finished += 1;
      return false;
    };
    const loop = startStepLoop([step('one', slow), step('another', slow)], observer());
    await until(() => finished >= 3 && running === 1);
    await loop.stop();
    expect([most, running]).toEqual([1, 0]);
    const before = finished;
    for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
    expect(finished).toBe(before);
  });

  test('interrupts a step that hangs when it stops', async () => {
    let isHanging = false;
    const reports: string[] = [];
    const loop = startStepLoop(
      [
        step('hangs', (signal) => {
          isHanging = true;
          return new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              reject(new Error('interrupted'));
            });
          });
        }),
      ],
      observer(reports),
    );
    await until(() => isHanging);
    await loop.stop();
    expect(reports).toEqual([]);
  });

  test('reports a failure once, goes on with the other steps, retries, and reports the recovery', async () => {
    const reports: string[] = [];
    let [tries, others] = [0, 0];
    const loop = startStepLoop(
      [
        step(
          'shaky',
          () => {
            tries += 1;
            return tries < 4 ? Promise.reject(new Error('not yet')) : Promise.resolve(false);
          },
          1,
        ),
        step('works', () => Promise.resolve((others += 1) < 0), 1),
      ],
      observer(reports),
    );
    await until(() => tries >= 6);
    await loop.stop();
    expect(others).toBeGreaterThan(4);
    expect(reports.filter((report) => /^shaky (failed|recovered)/.test(report))).toEqual([
      'shaky failed',
      'shaky recovered',
    ]);
  });

  test('reports each batch that succeeds, but not those left to another instance', async () => {
    const results = [true, undefined, 'fails', false] as const;
    let batches = 0;
    const reports: string[] = [];
    const loop = startStepLoop(
      [
        step('mixed', () => {
          const result = results[batches];
          batches += 1;
          if (result === 'fails') return Promise.reject(new Error('not now'));
          return Promise.resolve(batches > results.length ? undefined : result);
        }),
      ],
      observer(reports),
    );
    await until(() => batches > results.length);
    await loop.stop();
    expect(reports).toEqual([
      'mixed succeeded',
      'mixed failed',
      'mixed succeeded',
      'mixed recovered',
    ]);
  });
});
