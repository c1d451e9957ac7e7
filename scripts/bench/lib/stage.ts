/** What a benchmark of the service stands on: PostgreSQL that waits for the disk, and the programs under measurement. */
import { randomBytes } from 'node:crypto';
import { createSecrets, type Secrets } from '../../../server/lib/crypto.js';
import { type Database, openDatabase } from '../../../server/store/database.js';
import { migrate } from '../../../server/store/migrations/migrate.js';
import { startScratchCluster } from '../../db/scratch.js';
import { buildServer, createPrograms, type Programs } from './programs.js';

export interface Stage {
  databaseUrl: string;
  database: Database;
  secrets: Secrets;
  start: Programs['start'];
  /** The service as it is deployed; returns its address. */
  startService: (environment?: Record<string, string>) => Promise<string>;
}

/** Sets up, lets it be used, and clears up whatever happens. */
export async function onStage(act: (stage: Stage) => Promise<void>): Promise<void> {
  await buildServer();
  const cluster = await startScratchCluster({ durable: true });
  const programs = createPrograms();
  try {
    await migrate({ url: cluster.url });
    const database = await openDatabase({
      url: cluster.url,
      poolSize: 2,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 30_000,
    });
    const masterKey = randomBytes(32);
    try {
      await act({
        databaseUrl: cluster.url,
        database,
        secrets: createSecrets(masterKey),
        start: programs.start,
        startService: (environment = {}) =>
          programs.start(['dist/server/main.js'], {
            DATABASE_URL: cluster.url,
            SECRETS_KEY: masterKey.toString('base64'),
            // As with the embedded database, which this one is but for its address.
            RATE_LIMIT_STORE: 'memory',
            PORT: '0',
            ...environment,
          }),
      });
    } finally {
      await database.close();
    }
  } finally {
    await programs.stop();
    await cluster.stop();
  }
}
