/** The environment of a benchmark: the built service, durable PostgreSQL clusters, and the processes under measurement. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSecrets, type Secrets } from '../../../server/lib/secrets.js';
import type { Database } from '../../../server/store/database.js';
import { nodeFlags } from '../../lib/node-flags.js';
import { type BenchCluster, createClusters } from './clusters.js';
import { processorSeconds } from './processor-time.js';
import { buildServer, createPrograms, type Programs } from './programs.js';

export interface BenchEnvironment {
  /** Of the service. */
  cluster: BenchCluster;
  database: Database;
  secrets: Secrets;
  /** Starts a server, and notes which cluster works for it. */
  start: (
    args: string[],
    environment?: Record<string, string>,
    cluster?: BenchCluster,
  ) => Promise<string>;
  pidOf: Programs['pidOf'];
  stop: (url: string) => Promise<void>;
  /** Starts the service as it is deployed, unless told otherwise, and returns its URL. */
  startService: (environment?: Record<string, string>, args?: string[]) => Promise<string>;
  /** For a server that the service is compared with: what PostgreSQL does for it does not count for the service. */
  newCluster: () => Promise<BenchCluster>;
  clusterOf: (url: string) => BenchCluster | undefined;
  /** What the server at a URL and its cluster have used so far. */
  processorTimes: (url: string) => Promise<ProcessorTimes>;
}

/** In seconds. */
export interface ProcessorTimes {
  node: number;
  database: number;
}

export interface EnvironmentOptions {
  /** Settings of PostgreSQL. */
  settings?: Record<string, string>;
}

/** Sets the environment up, runs the benchmark, and tears the environment down even if the benchmark fails. */
export async function withEnvironment(
  run: (environment: BenchEnvironment) => Promise<void>,
  { settings = {} }: EnvironmentOptions = {},
): Promise<void> {
  await buildServer();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'agent-hosting-bench-'));
  const programs = createPrograms();
  const clusters = createClusters();
  const clusterByUrl = new Map<string, BenchCluster>();
  try {
    const own = await clusters.start(settings);
    const masterKey = randomBytes(32);
    const start: BenchEnvironment['start'] = async (args, environment, cluster) => {
      const url = await programs.start(args, environment);
      if (cluster) clusterByUrl.set(url, cluster);
      return url;
    };
    await run({
      cluster: own,
      database: own.database,
      secrets: createSecrets(masterKey),
      start,
      pidOf: programs.pidOf,
      stop: programs.stop,
      startService: (environment = {}, args = ['dist/server/main.js']) =>
        start(
          [...nodeFlags, ...args],
          {
            DATABASE_URL: own.url,
            SECRETS_KEY: masterKey.toString('base64'),
            // The default with an embedded database, which DATABASE_URL turns off.
            RATE_LIMIT_STORE: 'memory',
            PORT: '0',
            // Where the first key goes, which nobody here needs.
            DATA_DIR: dataDir,
            ...environment,
          },
          own,
        ),
      newCluster: () => clusters.start(),
      clusterOf: (url) => clusterByUrl.get(url),
      processorTimes: async (url) => {
        const cluster = clusterByUrl.get(url);
        return {
          node: await processorSeconds(programs.pidOf(url)),
          database: cluster ? await processorSeconds(cluster.pid) : NaN,
        };
      },
    });
  } finally {
    await programs.stop();
    await clusters.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
