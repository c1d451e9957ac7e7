/** The short form of the random runs with faults. FUZZ_SEED repeats a run, FUZZ_CASES makes it longer. */
import { test } from '@jest/globals';
import { useFixture } from '../helpers/service/fixture.js';
import { expectToHold, seed } from '../invocations/random/hold.js';
import { playRuns, runsPlans, startRunsStage } from './random-runs.js';

const stage = useFixture(
  () => startRunsStage({ SHUTDOWN_TIMEOUT_MS: '2000' }),
  ({ stop }) => stop(),
);

test(`each effect happens once, and each run ends, whatever happens to its instance (seed ${seed})`, async () => {
  await expectToHold({ plans: runsPlans, cases: 2, play: (plan) => playRuns(stage, plan) });
}, 1_800_000);
