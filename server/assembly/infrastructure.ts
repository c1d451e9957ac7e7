/** Opens what the service, the worker and the operator's commands need: PostgreSQL, embedded or external, and the secrets. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import type { KeyRing } from '../lib/secrets.js';
import { type Database, openDatabase } from '../store/database.js';
import { nameListeners } from '../store/listen.js';
import { migrate } from '../store/migrations/migrate.js';
import { adoptStoredKeys, followActiveKey } from '../store/secrets-keys.js';
import type { EmbeddedMode } from './postgres.js';
import { openStorage, type Storage } from './storage.js';

export interface Infrastructure {
  database: Database;
  /** Bypasses a connection pooler, for LISTEN, which needs a session. */
  directUrl: string;
  secrets: KeyRing;
  close: () => Promise<void>;
}

export interface InfrastructureOptions {
  /** Without DATABASE_URL: start the embedded PostgreSQL and own it, or join one that a service may be running. */
  embedded: EmbeddedMode;
  /** Opened already. It is closed with the rest, and if opening that fails. */
  storage?: Storage;
  /** The model providers that this process has, which the operator's commands ask for; undefined if it runs no models. */
  providers?: readonly string[];
  log?: Logger;
}

export async function openInfrastructure(
  config: Config,
  options: InfrastructureOptions,
): Promise<Infrastructure> {
  const { embedded, storage, log } = options;
  const warn = (message: string) => log?.warn(message);
  const { secrets, postgres } = storage ?? (await openStorage(config, embedded, log));
  try {
    await migrate(postgres.direct);
    const database = await openDatabase({
      url: postgres.url,
      pooled: config.database.pooled,
      replica: config.database.replica,
      poolSize: config.database.poolSize,
      connectTimeoutMs: config.database.connectTimeoutMs,
      statementTimeoutMs: config.database.statementTimeoutMs,
      warn,
    });
    try {
      await adoptStoredKeys(database, secrets);
    } catch (error) {
      await database.close();
      throw error;
    }
    const activeKey = followActiveKey(database, secrets, (error) => {
      log?.warn({ err: error }, 'following the active secrets key failed');
    });
    const close = async () => {
      await activeKey.stop();
      await database.close();
      await postgres.stop();
    };
    const keyIds = secrets.keys.map(({ id }) => id);
    const directUrl = nameListeners(postgres.direct.url, { keyIds, providers: options.providers });
    return { database, directUrl, secrets, close };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}
