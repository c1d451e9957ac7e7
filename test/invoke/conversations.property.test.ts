/**
 * Random conversations on all three APIs, with whatever models, providers, tools and clients may do. FUZZ_SEED repeats a run,
 * FUZZ_CASES makes it longer.
 */
import { test } from '@jest/globals';
import fc from 'fast-check';
import { useFixture } from '../helpers/service/fixture.js';
import { shortRun } from '../fuzz/settings.js';
import { checkPlayed } from './random/check.js';
import { play, startStage } from './random/play.js';
import { plansOf } from './random/plans.js';

const stage = useFixture(startStage, ({ stop }) => stop());
const { seed } = shortRun;
const numRuns = Number(process.env['FUZZ_CASES'] ?? 25);

test(`an agent acts once and never gets stuck (seed ${seed})`, async () => {
  const plans = plansOf({ conversations: 3, endsAt: fc.constant(0) });
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      await checkPlayed(stage, await play(stage, plan));
    }),
    {
      seed,
      numRuns,
      endOnFailure: true,
      ...(process.env['FP'] ? { path: process.env['FP'] } : {}),
    },
  );
}, 1_800_000);
