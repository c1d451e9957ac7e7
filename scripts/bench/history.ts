/** Whether reads over HTTP stay fast when the history of an agent grows a hundredfold. */
import { generateHistories } from './history/generate-histories.js';
import { measureReads, readsTable } from './history/measure.js';
import type { BenchContext } from './lib/context.js';
import { withEnvironment } from './lib/environment.js';

export const historySizes = [10_000, 100_000, 1_000_000];

/** Takes a few minutes, mostly to generate the history in a temporary cluster. */
export async function benchHistory({ rounds = 7, report }: BenchContext): Promise<void> {
  await withEnvironment(async (environment) => {
    const histories = await generateHistories(environment, historySizes);
    report(readsTable(await measureReads(environment, histories, rounds), histories, rounds));
  });
}
