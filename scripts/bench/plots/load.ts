/** Latency by load: requests begin at a steady rate, whatever the responses take, as those of many clients do. */
import { startBareServer } from '../invoke/start-bare-server.js';
import type { BenchContext } from '../lib/context.js';
import type { BenchEnvironment } from '../lib/environment.js';
import type { Load } from '../lib/load.js';
import { insertOne, invoke } from '../lib/loads.js';
import { type Contender, measureInTurn, medianOf } from '../lib/measure.js';
import { figure } from '../lib/table.js';
import { newTenant } from '../lib/tenant.js';
import type { Series } from './chart.js';
import type { Charts } from './charts.js';
import { linearScale, logScale } from './scale.js';

/** Of what a server can do at most. Beyond, latency is as long as one waits. */
const shares = [0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9];
const connections = 256;

export async function plotLoad(
  environment: BenchEnvironment,
  { rounds = 3, report }: BenchContext,
): Promise<Charts> {
  const bare = await startBareServer(environment);
  const url = await environment.startService();
  const contenders: Contender[] = [
    {
      title: 'Invoke',
      url,
      load: async () => invoke(url, await newTenant(environment.database, environment.secrets)),
    },
    { title: 'express + one INSERT', url: bare, load: () => insertOne(bare) },
  ];
  const atMost = await measureInTurn(environment, contenders, rounds);
  const paced = shares.flatMap((share) =>
    contenders.map(({ title, url: server, load }, index) => {
      const perSecond = share * medianOf(atMost, index, 'perSecond');
      return {
        title: `${title} at ${(share * 100).toFixed(0)} %`,
        url: server,
        load: async (): Promise<Load> => ({ ...(await load()), connections, perSecond }),
        perSecond,
      };
    }),
  );
  const results = await measureInTurn(environment, paced, rounds, []);
  const points = (metric: 'p50' | 'p99', server: number): Series['points'] =>
    paced.flatMap(({ perSecond }, index) =>
      index % contenders.length === server
        ? [[perSecond, medianOf(results, index, metric)] as const]
        : [],
    );
  report({
    title: 'Latency by load',
    note: `requests at a steady rate, as a share of what the server can do with 32 connections at most; medians of ${rounds} rounds in turn`,
    columns: ['a second', 'answered a second', 'p50 ms', 'p99 ms'],
    rows: paced.map(({ title, perSecond }, index) => ({
      title,
      figures: [
        figure(perSecond, 0),
        figure(medianOf(results, index, 'perSecond'), 0),
        figure(medianOf(results, index, 'p50'), 1),
        figure(medianOf(results, index, 'p99'), 1),
      ],
    })),
  });
  const series = contenders.flatMap(({ title }, index): Series[] => [
    { name: `${title}, median`, points: points('p50', index), colour: index },
    {
      name: `${title}, 99th percentile`,
      points: points('p99', index),
      colour: index,
      isDashed: true,
    },
  ]);
  const all = series.flatMap(({ points }) => points);
  return {
    'latency-by-load': {
      title: 'Latency by load',
      x: {
        title: 'requests a second',
        scale: linearScale(
          all.map(([x]) => x),
          8,
        ),
      },
      y: {
        title: 'ms',
        scale: logScale(
          all.map(([, y]) => y),
          10,
        ),
      },
      series,
    },
  };
}
