/**
 * Random conversations on all three APIs, with whatever models, providers, tools and clients may do. FUZZ_SEED repeats a run,
 * FUZZ_CASES makes it longer.
 */
import { test } from '@jest/globals';
import fc from 'fast-check';
import { useFixture } from '../helpers/service/fixture.js';
import { checkPlayed } from './random/check.js';
import { expectToHold, seed } from './random/hold.js';
import { play, startStage } from './random/play.js';
import { plansOf } from './random/plans.js';

const stage = useFixture(startStage, ({ stop }) => stop());

test(`an agent acts once and never gets stuck (seed ${seed})`, async () => {
  await expectToHold({
    plans: plansOf({ conversations: { minLength: 1, maxLength: 3 }, end: fc.constant(undefined) }),
    cases: 8,
    play: async (plan) => checkPlayed(stage, await play(stage, plan)),
  });
}, 1_800_000);
