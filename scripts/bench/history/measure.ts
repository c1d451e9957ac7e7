/** Measures how long reads take, and what they cost, on histories of different sizes. */
import type { BenchEnvironment } from '../lib/environment.js';
import { measureInTurn, medianOf, medianRatio, type Measured } from '../lib/measure.js';
import { figure, type Table } from '../lib/table.js';
import { targets } from '../lib/targets.js';
import type { BenchTenant } from '../lib/tenant.js';
import { readsOfHistory } from './reads.js';

/** From the smallest to the largest. */
export interface History {
  tenant: BenchTenant;
  entries: number;
}

export interface MeasuredRead {
  title: string;
  /** A round has a result for each history. */
  rounds: Measured[][];
}

/** One request at a time, so that nothing but the read itself takes time. */
const oneByOne = { connections: 1, maxRequests: 40 };

export async function measureReads(
  environment: BenchEnvironment,
  histories: readonly History[],
  rounds: number,
): Promise<MeasuredRead[]> {
  const url = await environment.startService();
  const results: MeasuredRead[] = [];
  for (const { title, load } of readsOfHistory()) {
    const contenders = histories.map(({ tenant, entries }) => ({
      title: `${title} of ${entries}`,
      url,
      load: () => ({ ...load(url, tenant), ...oneByOne }),
    }));
    results.push({ title, rounds: await measureInTurn(environment, contenders, rounds) });
  }
  return results;
}

export function readsTable(
  reads: readonly MeasuredRead[],
  histories: readonly History[],
  rounds: number,
): Table {
  const last = histories.length - 1;
  const { ratio, medianMs } = targets.history;
  return {
    title: 'Reads by the rows of history',
    note: `one request at a time, medians of ${rounds} rounds of ${oneByOne.maxRequests} in turn`,
    columns: [
      ...histories.map(({ entries }) => `${entries.toLocaleString('en')} rows, ms`),
      'ratio',
      'PostgreSQL µs of the smallest',
      'of the largest',
      'ratio',
    ],
    rows: reads.map(({ title, rounds: results }) => ({
      title,
      figures: [
        ...histories.map((_, index) =>
          figure(medianOf(results, index, 'p50'), 1, index === last ? medianMs : undefined),
        ),
        figure(medianRatio(results, last, 0, 'p50'), 2, ratio),
        figure(medianOf(results, 0, 'databaseCpu'), 0),
        figure(medianOf(results, last, 'databaseCpu'), 0),
        figure(medianRatio(results, last, 0, 'databaseCpu'), 2),
      ],
    })),
  };
}
