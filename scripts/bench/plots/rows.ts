/** What a read costs by the rows of history behind it. */
import { historySizes } from '../history.js';
import { generateHistories } from '../history/generate-histories.js';
import { measureReads, readsTable } from '../history/measure.js';
import type { BenchContext } from '../lib/context.js';
import type { BenchEnvironment } from '../lib/environment.js';
import { medianOf } from '../lib/measure.js';
import type { Series } from './chart.js';
import type { Charts } from './charts.js';
import { linearScale, logScale } from './scale.js';

/** Those that differ most: more lines nobody tells apart. */
const shown = [
  'first page of logs',
  'metrics of 5 days at 5m',
  'metrics of 60 days at 1h',
  'search: a rare word',
  'search: three words',
  'search: misspelt words',
];

export async function plotRows(
  environment: BenchEnvironment,
  { rounds = 5, report }: BenchContext,
): Promise<Charts> {
  const histories = await generateHistories(environment, historySizes);
  const reads = await measureReads(environment, histories, rounds);
  report(readsTable(reads, histories, rounds));
  const series = reads
    .filter(({ title }) => shown.includes(title))
    .map(({ title, rounds: results }, index): Series => {
      const points = histories.map(
        ({ entries }, history) =>
          [entries, medianOf(results, history, 'databaseCpu') / 1000] as const,
      );
      return { name: title, points, colour: index };
    });
  const costs = series.flatMap(({ points }) => points.map(([, y]) => y));
  return {
    'cost-by-rows': {
      title: 'Cost of a read by rows of history',
      x: {
        title: 'invocations, log entries and memory entries, each',
        scale: logScale(historySizes, 10),
      },
      y: { title: 'processor time of PostgreSQL, ms', scale: linearScale(costs) },
      series,
    },
  };
}
