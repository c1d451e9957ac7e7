/**
 * Random conversations on a real process that is killed or stopped in the middle of them, after which their clients go on with
 * another instance. FUZZ_SEED repeats a run, FUZZ_CASES makes it longer.
 */
import { test } from '@jest/globals';
import { startServiceProcess } from '../helpers/programs/process.js';
import { environmentFor } from '../helpers/service/service.js';
import { useFixture } from '../helpers/service/fixture.js';
import { checkPlayed } from './random/check.js';
import { expectToHold, seed } from './random/hold.js';
import { play, startStage } from './random/play.js';
import { ends, plansOf } from './random/plans.js';

const stage = useFixture(startStage, ({ stop }) => stop());

const startDoomed = () =>
  startServiceProcess({
    environment: { ...environmentFor(stage.service), ...stage.environment },
  });

test.each<NodeJS.Signals>(['SIGKILL', 'SIGTERM'])(
  `an agent acts once despite a %s (seed ${seed})`,
  async (signal) => {
    await expectToHold({
      plans: plansOf({ conversations: { minLength: 3, maxLength: 6 }, end: ends }),
      cases: 4,
      play: async (plan) => {
        const doomed = await startDoomed();
        try {
          await checkPlayed(stage, await play(stage, plan, { ...doomed, signal }));
        } finally {
          await doomed.end('SIGKILL');
        }
      },
    });
  },
  1_800_000,
);
