/** The lengths of the short and long runs, and the variables that repeat a run. */
import type { FuzzOptions } from './fuzzer.js';

const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_115);

/** For `npm test`. Reaches every limit and violates every keyword once, with few random cases. */
export const shortRun: FuzzOptions = { seed, cases: 12, sequences: 40 };

const longCases = Number(process.env['FUZZ_CASES'] ?? 1000);

/** For `npm run test:fuzz`. */
export const longRuns: FuzzOptions[] = (
  process.env['FUZZ_SEED'] === undefined ? [seed, seed + 1, seed + 2] : [seed]
).map((one) => ({ seed: one, cases: longCases, sequences: Math.ceil(longCases / 4) }));
