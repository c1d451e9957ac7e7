/**
 * Random conversations on a real process that is killed or stopped in the middle of them, after which their clients go on with
 * another instance. FUZZ_SEED repeats a run, FUZZ_CASES makes it longer.
 */
import { test } from '@jest/globals';
import fc from 'fast-check';
import { startServiceProcess } from '../helpers/programs/process.js';
import { environmentFor } from '../helpers/service/service.js';
import { useFixture } from '../helpers/service/fixture.js';
import { shortRun } from '../fuzz/settings.js';
import { checkPlayed } from './random/check.js';
import { play, startStage } from './random/play.js';
import { plansOf } from './random/plans.js';

const stage = useFixture(startStage, ({ stop }) => stop());
const { seed } = shortRun;
const numRuns = Number(process.env['FUZZ_CASES'] ?? 4);

const startDoomed = () =>
  startServiceProcess({
    environment: { ...environmentFor(stage.service), ...stage.environment },
  });

test.each<NodeJS.Signals>(['SIGKILL', 'SIGTERM'])(
  `an agent acts once despite a %s (seed ${seed})`,
  async (signal) => {
    const plans = plansOf({ conversations: 6, endsAt: fc.integer({ min: 1, max: 20 }) });
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const doomed = await startDoomed();
        try {
          const { url } = doomed;
          await checkPlayed(stage, await play(stage, plan, { url, end: () => doomed.end(signal) }));
        } finally {
          await doomed.end('SIGKILL');
        }
      }),
      {
        seed,
        numRuns,
        endOnFailure: true,
        ...(process.env['FP'] ? { path: process.env['FP'] } : {}),
      },
    );
  },
  1_800_000,
);
