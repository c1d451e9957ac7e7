/** What the service and the operator's commands stand on: PostgreSQL, their own or a given one, and the secrets. */
import type { Config } from '../config/config.js';
import { createSecrets, type Secrets } from '../lib/crypto.js';
import { loadSecretsKey } from '../config/secrets-file.js';
import { type Database, openDatabase } from '../store/database.js';
import { joinEmbedded, startEmbedded } from '../store/embedded/embedded.js';
import { migrate } from '../store/migrations/migrate.js';
import { assertSameSecretsKey } from '../store/secrets-check.js';

export interface Infrastructure {
  database: Database;
  /** Leads to PostgreSQL itself, for what needs a session of its own. */
  directUrl: string;
  secrets: Secrets;
  close: () => Promise<void>;
}

export interface InfrastructureOptions {
  /** Whether to be the one service on the embedded database, or a guest beside a service that may be running. */
  as: 'owner' | 'guest';
  log: (message: string) => void;
}

export async function openInfrastructure(
  config: Config,
  options: InfrastructureOptions,
): Promise<Infrastructure> {
  const secrets = createSecrets(await loadSecretsKey(config));
  const postgres = await reachPostgres(config, options);
  try {
    await migrate({ url: postgres.directUrl, connectTimeoutMs: config.database.connectTimeoutMs });
    const database = await openDatabase({
      url: postgres.url,
      pooled: config.database.pooled,
      poolSize: config.database.poolSize,
      connectTimeoutMs: config.database.connectTimeoutMs,
      statementTimeoutMs: config.database.statementTimeoutMs,
      onIdleError: (error) => {
        options.log(`A connection to the database broke: ${error.message}`);
      },
    });
    const close = async () => {
      await database.close();
      await postgres.stop();
    };
    try {
      await assertSameSecretsKey(database, secrets.fingerprint);
    } catch (error) {
      await database.close();
      throw error;
    }
    return { database, directUrl: postgres.directUrl, secrets, close };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

interface Postgres {
  url: string;
  directUrl: string;
  stop: () => Promise<void>;
}

async function reachPostgres(
  { database: { url, directUrl }, dataDir }: Config,
  { as, log }: InfrastructureOptions,
): Promise<Postgres> {
  if (url !== undefined) {
    return { url, directUrl: directUrl ?? url, stop: () => Promise.resolve() };
  }
  const embedded = await (as === 'owner' ? startEmbedded : joinEmbedded)({ dataDir, log });
  return { url: embedded.url, directUrl: embedded.url, stop: () => embedded.stop() };
}
