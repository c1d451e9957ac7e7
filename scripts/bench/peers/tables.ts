/** The tables of the comparison. */
import type { Measured } from '../lib/measure.js';
import { figure, type Table } from '../lib/table.js';
import type { Alone } from './alone.js';
import { measureInstallation, residentMemory } from './footprint.js';
import type { Started } from './start.js';

export interface Invocations {
  title: string;
  note: string;
  started: readonly Started[];
  /** In the order of the servers. */
  alone: readonly Alone[];
  medianOf: (server: number, metric: keyof Measured) => number;
}

export function invocationTable(invocations: Invocations): Table {
  const { title, note, started, alone, medianOf } = invocations;
  const rows = started.map(({ server }, index) => {
    const { latency = NaN, activity } = alone[index] ?? {};
    return {
      title: server.title,
      figures: [
        figure(medianOf(index, 'perSecond'), 0),
        figure(medianOf(index, 'p50'), 1),
        figure(medianOf(index, 'p99'), 1),
        figure(medianOf(index, 'nodeCpu') / 1000, 2),
        figure(medianOf(index, 'databaseCpu') / 1000, 2),
        figure(latency, 1),
        figure(activity?.transactions ?? NaN, 1),
        figure(activity?.rows ?? NaN, 1),
        figure((activity?.walBytes ?? NaN) / 1024, 1),
      ],
    };
  });
  const columns = [
    'a second',
    'p50 ms',
    'p99 ms',
    'Node ms',
    'PostgreSQL ms',
    'alone ms',
    'transactions',
    'rows written',
    'WAL kB',
  ];
  return { title, note, columns, rows };
}

/** To be made when the load is over. */
export async function footprintTable(
  started: readonly Started[],
  atRest: readonly number[],
): Promise<Table> {
  const rows = await Promise.all(
    started.map(async ({ server, pid, startMs }, index) => {
      const { peak } = await residentMemory(pid);
      const { packages, megabytes } = await measureInstallation(server.installed);
      return {
        title: server.title,
        figures: [
          figure(startMs / 1000, 2),
          figure(atRest[index] ?? NaN, 0),
          figure(peak, 0),
          figure(packages, 0),
          figure(megabytes, 0),
        ],
      };
    }),
  );
  return {
    title: 'Start and size',
    note: 'from its start to its first response, resident memory, and what a production install has on the disk',
    columns: ['start s', 'MB at rest', 'MB under load', 'packages', 'MB on disk'],
    rows,
  };
}
