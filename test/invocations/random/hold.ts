/** Plays random plans until one shows a mistake, and shrinks that one. */
import fc from 'fast-check';
import { shortRun } from '../../fuzz/settings.js';
import { checkPlayed } from './check.js';
import type { Plan } from './plans.js';
import type { Played, Stage } from './play.js';

export const { seed } = shortRun;

interface Search {
  plans: fc.Arbitrary<Plan>;
  /** Unless FUZZ_CASES says otherwise. */
  cases: number;
  play: (plan: Plan) => Promise<Played>;
}

/** Shrinking stops after this many attempts, each of which takes seconds. */
const maxShrinks = 25;

export async function expectToHold(stage: Stage, { plans, cases, play }: Search): Promise<void> {
  let hasFailed = false;
  let shrinks = 0;
  const property = fc.asyncProperty(plans, async (plan) => {
    if (hasFailed) shrinks += 1;
    if (shrinks > maxShrinks) return;
    try {
      await checkPlayed(stage, await play(plan));
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  });
  await fc.assert(property, { seed, numRuns: Number(process.env['FUZZ_CASES'] ?? cases) });
}
