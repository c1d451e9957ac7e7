/** Opens what the service, the worker and the operator's commands need: PostgreSQL, embedded or external, and the secrets keys. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import type { KeyRing } from '../installation/key-ring.js';
import { type Database, openDatabase } from '../postgres/database.js';
import { type InstanceTraits, registerInstance, type Registration } from '../postgres/instances.js';
import type { DirectConnection } from '../postgres/direct-connection.js';
import { migrate } from '../postgres/migrations/migrate.js';
import { retryUntilReady, type WaitOptions } from '../postgres/wait.js';
import { adoptStoredKeys, followActiveKey } from '../installation/secrets-keys.js';
import type { EmbeddedMode } from './embedded-database.js';
import { openStorage, type Storage } from './storage.js';

export interface Infrastructure {
  database: Database;
  /** Bypasses a connection pooler. */
  direct: DirectConnection;
  /** Opens a further connection during the start, and waits for the database as opening it did. */
  untilReady: <Result>(connect: () => Promise<Result>) => Promise<Result>;
  secrets: KeyRing;
  close: () => Promise<void>;
}

export interface InfrastructureOptions {
  /** Without DATABASE_URL: start the embedded PostgreSQL and own it, or join one that a service may be running. */
  embedded: EmbeddedMode;
  /** Already opened by the caller; closed with the rest, or if opening the rest fails. */
  storage?: Storage;
  /** Registers this process for the operator's commands to find; undefined for a command itself. */
  instance?: Omit<InstanceTraits, 'secretsKeyIds'>;
  /** How long to wait for a database that does not accept connections yet. Commands do not wait. */
  waitMs?: number;
  log?: Logger;
}

export async function openInfrastructure(
  config: Config,
  options: InfrastructureOptions,
): Promise<Infrastructure> {
  const { embedded, storage, instance, waitMs = 0, log } = options;
  const warn = (message: string) => log?.warn(message);
  const { secrets, postgres } = storage ?? (await openStorage(config, embedded, log));
  const waiting = { deadline: performance.now() + waitMs, onWait: warnOnce(waitMs, log) };
  const untilReady: Infrastructure['untilReady'] = (connect) => retryUntilReady(connect, waiting);
  try {
    const migrations = await untilReady(() =>
      migrate({ ...postgres.direct, onOldInstances: warn }),
    );
    for (const migration of migrations) log?.info({ migration }, 'migration applied');
    const open = () =>
      openDatabase({
        url: postgres.url,
        pooled: config.database.pooled,
        poolSize: config.database.poolSize,
        statementTimeoutMs: config.database.statementTimeoutMs,
        warn,
      });
    const database = await untilReady(open);
    let registration: Registration | undefined;
    try {
      await adoptStoredKeys(database, secrets);
      const secretsKeyIds = secrets.keys.map(({ id }) => id);
      registration = instance && (await registerInstance(database, { ...instance, secretsKeyIds }));
    } catch (error) {
      await database.close();
      throw error;
    }
    const activeKey = followActiveKey(database, secrets, (error) => {
      log?.warn({ err: error }, 'following the active secrets key failed');
    });
    const close = async () => {
      await activeKey.stop();
      await registration?.end();
      await database.close();
      await postgres.stop();
    };
    return { database, direct: postgres.direct, untilReady, secrets, close };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

function warnOnce(waitMs: number, log: Logger | undefined): WaitOptions['onWait'] {
  let isLogged = false;
  return ({ message }) => {
    if (!isLogged) log?.warn({ reason: message, wait_ms: waitMs }, 'waiting for the database');
    isLogged = true;
  };
}
