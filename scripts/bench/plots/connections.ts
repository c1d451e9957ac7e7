/** Invocations a second by the number of connections: the service and the bare server. */
import { startBareServer } from '../invoke/start-bare-server.js';
import type { BenchContext } from '../lib/context.js';
import type { BenchEnvironment } from '../lib/environment.js';
import { insertOne, invoke } from '../lib/loads.js';
import { type Contender, measureInTurn, medianOf } from '../lib/measure.js';
import { figure } from '../lib/table.js';
import { newTenant } from '../lib/tenant.js';
import type { Series } from './chart.js';
import type { Charts } from './charts.js';
import { linearScale, logScale } from './scale.js';

const counts = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export async function plotConnections(
  environment: BenchEnvironment,
  { rounds = 3, report }: BenchContext,
): Promise<Charts> {
  const bare = await startBareServer(environment);
  const url = await environment.startService();
  const milliseconds = 2_000;
  const contendersWith = (connections: number): Contender[] => [
    {
      title: 'Invoke',
      url,
      load: async () => {
        const tenant = await newTenant(environment.database, environment.secrets);
        return { ...invoke(url, tenant), connections, milliseconds };
      },
    },
    {
      title: 'express + one INSERT',
      url: bare,
      load: () => ({ ...insertOne(bare), connections, milliseconds }),
    },
  ];
  const contenders = counts.flatMap(contendersWith);
  const results = await measureInTurn(environment, contenders, rounds, contendersWith(32));
  const series = contendersWith(1).map(({ title: name }, server): Series => ({
    name,
    points: counts.map((connections, index) => [
      connections,
      medianOf(results, 2 * index + server, 'perSecond'),
    ]),
    colour: server,
  }));
  report({
    title: 'Invoke by connections',
    note: `medians of ${rounds} rounds in turn`,
    columns: series.map(({ name }) => `${name}, a second`),
    rows: counts.map((connections, index) => ({
      title: `${connections} connections`,
      figures: series.map(({ points }) => figure(points[index]?.[1] ?? NaN, 0)),
    })),
  });
  const all = series.flatMap(({ points }) => points.map(([, y]) => y));
  return {
    'throughput-by-connections': {
      title: 'Throughput by connections',
      x: { title: 'connections', scale: logScale(counts, 2) },
      y: { title: 'requests a second', scale: linearScale(all) },
      series,
    },
  };
}
