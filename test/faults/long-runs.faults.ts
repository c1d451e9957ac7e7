/** Runs of many steps, and instances that stop. */
import { expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { useFixture } from '../helpers/service/fixture.js';
import { isError } from '../invocations/random/client.js';
import type { Way } from '../invocations/random/plans.js';
import { settled, startRunsStage } from './random-runs.js';
import type { PlannedRun } from './workshop.js';

const stage = useFixture(startRunsStage, ({ stop }) => stop());

/** Starts a run. `ended` resolves once it has succeeded. */
function begin(way: Way, plan: PlannedRun) {
  const run = stage.workshop.open(plan);
  const ended = settled(stage, way, { message: run.message }).then((result) => {
    if (isError(result)) throw new Error(JSON.stringify({ way, plan, result }));
    run.finish(result.response);
  });
  return { run, ended };
}

async function expectNothingWrong(): Promise<void> {
  expect({ seen: stage.workshop.takeViolations(), ended: stage.instances.ended }).toEqual({
    seen: [],
    ended: [],
  });
  await eventually(async () => {
    expect(await stage.observer.database.prisma.runStep.count()).toBe(0);
  });
}

test('a rolling restart under 20 asynchronous runs of 20 steps', async () => {
  const { workshop, instances } = stage;
  const steps = Array.from({ length: 20 }, () => ['make'] as const);
  const runs = Array.from({ length: 20 }, () => begin('async', { steps, pauseMs: 50 }));
  let done = 0;
  for (const { ended } of runs) void ended.then(() => (done += 1));
  for (const instance of instances.all) {
    const at = workshop.arrivals() + 100;
    await eventually(() => {
      expect(workshop.arrivals()).toBeGreaterThan(at);
    });
    await instance.end('SIGTERM');
    expect(done).toBeLessThan(runs.length);
    await instance.start();
  }
  await Promise.all(runs.map(({ ended }) => ended));
  // A graceful stop interrupts no call.
  const times = runs.flatMap(({ run }) => run.timesMade());
  expect(times).toEqual(Array.from({ length: 400 }, () => 1));
  await expectNothingWrong();
}, 300_000);

test.each(['calls', 'model'] as const)(
  'SIGTERM ends an instance within 15 s, and fails no run, while %s hang',
  async (what) => {
    const { workshop, instances } = stage;
    workshop.hold(what);
    const ways: Way[] = ['async', 'async', 'plain', 'plain', 'stream', 'stream'];
    const runs = ways.map((way, index) =>
      begin(way, { steps: [[index % 2 === 0 ? 'make' : 'remake'], ['make']] }),
    );
    await eventually(() => {
      expect(workshop.waiting()).toBe(ways.length);
    });
    const start = performance.now();
    await Promise.all(instances.all.map((instance) => instance.end('SIGTERM')));
    expect(performance.now() - start).toBeLessThan(15_000);
    workshop.hold(undefined);
    await Promise.all(instances.all.map((instance) => instance.start()));
    await Promise.all(runs.map(({ ended }) => ended));
    await expectNothingWrong();
  },
  300_000,
);
