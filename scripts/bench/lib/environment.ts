/** The environment of a benchmark: a durable PostgreSQL, the built service, and the processes under measurement. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSecrets, type Secrets } from '../../../server/lib/secrets.js';
import type { Database } from '../../../server/store/database.js';
import { migrate } from '../../../server/store/migrations/migrate.js';
import { startScratchCluster } from '../../db/scratch.js';
import { openBenchDatabase } from './database.js';
import { buildServer, createPrograms, type Programs } from './programs.js';

export interface BenchEnvironment {
  databaseUrl: string;
  database: Database;
  secrets: Secrets;
  start: Programs['start'];
  pidOf: Programs['pidOf'];
  /** Starts the service as it is deployed, and returns its URL. */
  startService: (environment?: Record<string, string>) => Promise<string>;
}

/** Sets the environment up, runs the benchmark, and tears the environment down even if the benchmark fails. */
export async function withEnvironment(
  run: (environment: BenchEnvironment) => Promise<void>,
): Promise<void> {
  await buildServer();
  const cluster = await startScratchCluster({ durable: true });
  const dataDir = await mkdtemp(path.join(tmpdir(), 'agent-hosting-bench-'));
  const programs = createPrograms();
  try {
    await migrate({ url: cluster.url });
    const database = await openBenchDatabase(cluster.url);
    const masterKey = randomBytes(32);
    try {
      await run({
        databaseUrl: cluster.url,
        database,
        secrets: createSecrets(masterKey),
        start: programs.start,
        pidOf: programs.pidOf,
        startService: (environment = {}) =>
          programs.start(['dist/server/main.js'], {
            DATABASE_URL: cluster.url,
            SECRETS_KEY: masterKey.toString('base64'),
            // The default with an embedded database, which DATABASE_URL turns off.
            RATE_LIMIT_STORE: 'memory',
            PORT: '0',
            // Where the first key goes, which nobody here needs.
            DATA_DIR: dataDir,
            ...environment,
          }),
      });
    } finally {
      await database.close();
    }
  } finally {
    await programs.stop();
    await cluster.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
