/** Two loads in turn, so that whatever else the machine does meets both alike. */
import type { LoadResult } from './load.js';
import { median } from './programs.js';

export const rounds = 7;

const titleWidth = 20;

export interface Pair {
  base: LoadResult;
  measured: LoadResult;
}

type Run = () => Promise<LoadResult>;

/** The first round warms both up, and does not count. */
export async function contest(base: Run, measured: Run): Promise<Pair[]> {
  await base();
  await measured();
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) {
    pairs.push({ base: await base(), measured: await measured() });
  }
  return pairs;
}

/** How the one stands to the other, of each round by itself. */
export function ratioOf(pairs: Pair[], figure: keyof LoadResult): number {
  return median(pairs.map(({ base, measured }) => measured[figure] / base[figure]));
}

export const figureTitles = '  a second   p50 ms   p99 ms';

/** The medians, under their titles. */
export function figuresOf(results: LoadResult[]): string {
  const figure = (name: keyof LoadResult, digits: number) =>
    median(results.map((result) => result[name])).toFixed(digits);
  return (
    figure('perSecond', 0).padStart(10) +
    figure('p50', 1).padStart(9) +
    figure('p99', 1).padStart(9)
  );
}

export interface Row {
  title: string;
  pairs: Pair[];
  /** What the ratio must reach. */
  target: number | undefined;
}

export function printTitles(base: string, measured: string): void {
  const over = [base, measured].map((name) => name.padStart(figureTitles.length));
  console.log(`${' '.repeat(titleWidth)}${over.join('')}`);
  console.log(`${' '.repeat(titleWidth)}${figureTitles}${figureTitles}   ratio`);
}

export function printRow({ title, pairs, target }: Row): void {
  const figures = [
    figuresOf(pairs.map(({ base }) => base)),
    figuresOf(pairs.map(({ measured }) => measured)),
  ];
  const goal = target === undefined ? '' : `  (at least ${target})`;
  const ratio = ratioOf(pairs, 'perSecond').toFixed(2).padStart(8);
  console.log(`${title.padEnd(titleWidth)}${figures.join('')}${ratio}${goal}`);
}
