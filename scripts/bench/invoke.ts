/** Invocations per second with builtin/echo, everything durable, beside a bare express server with one INSERT each. */
import { randomBytes } from 'node:crypto';
import { operations } from '../../generated/operations.js';
import { createSecrets } from '../../server/lib/crypto.js';
import { openDatabase } from '../../server/store/database.js';
import { migrate } from '../../server/store/migrate.js';
import { startScratchCluster } from '../db/scratch.js';
import type { LoadResult } from './lib/load.js';
import { buildServer, createPrograms, measure, median } from './lib/programs.js';
import { newTenant, requestsPerRound } from './lib/tenant.js';

const rounds = 7;
const common = {
  method: 'POST',
  connections: 32,
  milliseconds: 4_000,
  maxRequests: requestsPerRound,
  body: JSON.stringify({ message: 'Where is my order 5512?' }),
};
const json = { 'content-type': 'application/json' };
const targets = { throughput: 0.6, p99: 4 };

interface Pair {
  bare: LoadResult;
  service: LoadResult;
}

export async function benchInvoke(): Promise<void> {
  await buildServer();
  const cluster = await startScratchCluster({ durable: true });
  const programs = createPrograms();
  const masterKey = randomBytes(32);
  try {
    await migrate({ url: cluster.url });
    const production = { NODE_ENV: 'production' };
    const bareUrl = await programs.start(
      ['scripts/bench/invoke/bare-server.ts', cluster.url],
      production,
    );
    const serviceUrl = await programs.start(['dist/server/main.js'], {
      ...production,
      DATABASE_URL: cluster.url,
      SECRETS_KEY: masterKey.toString('base64'),
      // As with the embedded database, which this one is but for its address.
      RATE_LIMIT_STORE: 'memory',
      PORT: '0',
    });
    const database = await openDatabase({
      url: cluster.url,
      poolSize: 2,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 30_000,
    });
    try {
      const bare = () => measure({ ...common, url: bareUrl, headers: json });
      const service = async () => {
        // One agent takes all of the load of a round.
        const { agentId, headers } = await newTenant(database, createSecrets(masterKey));
        const path = operations.invokeAgent.path.replace('{agent_id}', agentId);
        return measure({
          ...common,
          url: `${serviceUrl}${path}`,
          headers: { ...headers, ...json },
        });
      };
      report(await contest(bare, service));
    } finally {
      await database.close();
    }
  } finally {
    await programs.stop();
    await cluster.stop();
  }
}

/** In turn, so that whatever else the machine does meets both alike. */
async function contest(
  bare: () => Promise<LoadResult>,
  service: () => Promise<LoadResult>,
): Promise<Pair[]> {
  await bare();
  await service();
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round += 1) {
    pairs.push({ bare: await bare(), service: await service() });
  }
  return pairs;
}

function report(pairs: Pair[]): void {
  console.log(
    `${common.connections} connections, median of ${rounds} rounds in turn, waiting for the disk, the service logging every request`,
  );
  console.log('                 per second   p50 ms   p99 ms');
  printRow(
    'one INSERT',
    pairs.map(({ bare }) => bare),
  );
  printRow(
    'invocation',
    pairs.map(({ service }) => service),
  );
  const throughput = median(pairs.map(({ bare, service }) => service.perSecond / bare.perSecond));
  const slowness = median(pairs.map(({ bare, service }) => service.p99 / bare.p99));
  console.log(`throughput ${throughput.toFixed(2)} of it (at least ${targets.throughput})`);
  console.log(`p99 ${slowness.toFixed(2)} times its (below ${targets.p99})`);
}

function printRow(name: string, results: LoadResult[]): void {
  const figures = [
    median(results.map(({ perSecond }) => perSecond)).toFixed(0),
    median(results.map(({ p50 }) => p50)).toFixed(1),
    median(results.map(({ p99 }) => p99)).toFixed(1),
  ];
  console.log(name.padEnd(18) + figures.map((text) => text.padStart(9)).join(''));
}
