/** Plays random plans until one shows a mistake, and shrinks that one. */
import fc from 'fast-check';
import { shortRun } from '../../fuzz/settings.js';

export const { seed } = shortRun;

interface Search<Plan> {
  plans: fc.Arbitrary<Plan>;
  /** Unless FUZZ_CASES says otherwise. */
  cases: number;
  /** Rejects if it shows a mistake. */
  play: (plan: Plan) => Promise<void>;
}

/** Shrinking stops after this many attempts, each of which takes seconds. */
const maxShrinks = 25;

export async function expectToHold<Plan>({ plans, cases, play }: Search<Plan>): Promise<void> {
  let hasFailed = false;
  let shrinks = 0;
  const property = fc.asyncProperty(plans, async (plan) => {
    if (hasFailed) shrinks += 1;
    if (shrinks > maxShrinks) return;
    try {
      await play(plan);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  });
  await fc.assert(property, { seed, numRuns: Number(process.env['FUZZ_CASES'] ?? cases) });
}
