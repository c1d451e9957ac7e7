/** Compares two loads in alternating rounds, so that other work on the machine affects both equally. */
import type { LoadResult } from './load.js';
import { median } from './statistics.js';

export const rounds = 7;

const titleWidth = 20;

export interface Pair {
  baseline: LoadResult;
  measured: LoadResult;
}

type RunLoad = () => Promise<LoadResult>;

/** The first round warms both up and is discarded. */
export async function compare(baseline: RunLoad, measured: RunLoad): Promise<Pair[]> {
  await baseline();
  await measured();
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) {
    pairs.push({ baseline: await baseline(), measured: await measured() });
  }
  return pairs;
}

/** The median of the ratios within each round. */
export function medianRatio(pairs: Pair[], metric: keyof LoadResult): number {
  return median(pairs.map(({ baseline, measured }) => measured[metric] / baseline[metric]));
}

const columnTitles = '  a second   p50 ms   p99 ms';

function formatColumns(results: LoadResult[]): string {
  const format = (metric: keyof LoadResult, digits: number) =>
    median(results.map((result) => result[metric])).toFixed(digits);
  return (
    format('perSecond', 0).padStart(10) +
    format('p50', 1).padStart(9) +
    format('p99', 1).padStart(9)
  );
}

export function printHeader(baseline: string, measured: string): void {
  const names = [baseline, measured].map((name) => name.padStart(columnTitles.length));
  console.log(`${' '.repeat(titleWidth)}${names.join('')}`);
  console.log(`${' '.repeat(titleWidth)}${columnTitles}${columnTitles}   ratio`);
}

export interface Row {
  title: string;
  pairs: Pair[];
  /** The ratio that must be reached. */
  target: number | undefined;
}

/** Prints the medians of a comparison under the columns of the header. */
export function printRow({ title, pairs, target }: Row): void {
  const columns = [
    formatColumns(pairs.map(({ baseline }) => baseline)),
    formatColumns(pairs.map(({ measured }) => measured)),
  ];
  const goal = target === undefined ? '' : `  (at least ${target})`;
  const ratio = medianRatio(pairs, 'perSecond').toFixed(2).padStart(8);
  console.log(`${title.padEnd(titleWidth)}${columns.join('')}${ratio}${goal}`);
}
