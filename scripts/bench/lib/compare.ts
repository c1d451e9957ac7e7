/** Compares contenders with each other: a row for each, with its ratios to the one that it is compared with. */
import type { BenchEnvironment } from './environment.js';
import { type Contender, measureInTurn, medianOf, medianRatio, type Metric } from './measure.js';
import { figure, type Figure, type Table } from './table.js';
import type { Goal } from './targets.js';

export interface Compared extends Contender {
  /** The title of the contender that it is compared with. */
  base?: string;
  /** Of the ratios. */
  goals?: Partial<Record<'perSecond' | 'nodeCpu' | 'databaseCpu', Goal>>;
}

export interface ComparisonOptions {
  title: string;
  note: string;
  rounds: number;
}

const columns = [
  'a second',
  'ratio',
  'p50 ms',
  'p99 ms',
  'Node µs',
  'ratio',
  'PostgreSQL µs',
  'ratio',
];

export async function compare(
  environment: BenchEnvironment,
  contenders: readonly Compared[],
  { title, note, rounds }: ComparisonOptions,
): Promise<Table> {
  const results = await measureInTurn(environment, contenders, rounds);
  const rows = contenders.map(({ title: name, base, goals = {} }, index) => {
    const baseIndex = contenders.findIndex((other) => other.title === base);
    const plain = (metric: Metric, digits: number) =>
      figure(medianOf(results, index, metric), digits);
    const withRatio = (metric: keyof typeof goals, digits: number): (Figure | undefined)[] => [
      plain(metric, digits),
      baseIndex < 0
        ? undefined
        : figure(medianRatio(results, index, baseIndex, metric), 2, goals[metric]),
    ];
    return {
      title: name,
      figures: [
        ...withRatio('perSecond', 0),
        plain('p50', 1),
        plain('p99', 1),
        ...withRatio('nodeCpu', 0),
        ...withRatio('databaseCpu', 0),
      ],
    };
  });
  return { title, note: `${note}; medians of ${rounds} rounds in turn`, columns, rows };
}
