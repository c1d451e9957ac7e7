/**
 * Opens what a start waits for outside of this process: certificates, keys and PostgreSQL, that of DATABASE_URL or the embedded one.
 * It imports little, so that PostgreSQL starts early.
 */
import type { SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { findLoosePermissions, loadSecretsKeys } from '../config/secrets-file.js';
import { readTls } from '../http/transport/tls.js';
import { assertClusterExists } from '../store/embedded/cluster.js';
import { joinEmbedded, joinOrCreateEmbedded, startEmbedded } from '../store/embedded/embedded.js';
import { createSecrets, type KeyRing } from '../store/installation/key-ring.js';
import type { DirectConnection } from '../store/postgres/direct-connection.js';

export interface Prerequisites {
  tls: SecureContextOptions | undefined;
  storage: Storage;
}

/** Certificates are read first, so that a wrong file does not start PostgreSQL. */
export async function openPrerequisites(
  config: Config,
  embedded: EmbeddedMode,
  log: Logger,
  onLaunch?: () => void,
): Promise<Prerequisites> {
  const tls = config.tls && (await readTls(config.tls));
  return { tls, storage: await openStorage(config, embedded, log, onLaunch) };
}

export interface Storage {
  secrets: KeyRing;
  postgres: Postgres;
}

/** A key that is missing is found before PostgreSQL starts. */
export async function openStorage(
  config: Config,
  embedded: EmbeddedMode,
  log?: Logger,
  onLaunch?: () => void,
): Promise<Storage> {
  // Before the keys, which are made where there are none.
  if (config.database.url === undefined && embedded === 'join')
    await assertClusterExists(config.dataDir);
  const { current, previous } = await loadSecretsKeys(config);
  const usesDataDir = config.database.url === undefined || config.secretsKey === undefined;
  // Only the process that starts PostgreSQL says it, not each of several.
  if (usesDataDir && embedded === 'start') {
    for (const advice of await findLoosePermissions(config.dataDir)) log?.warn(advice);
  }
  const secrets = createSecrets(current, previous);
  const postgres = await openPostgres(config, embedded, {
    warn: (message) => log?.warn(message),
    onLaunch,
  });
  return { secrets, postgres };
}

/**
 * Without DATABASE_URL: start the embedded PostgreSQL and own it, or join one that a service may be running. Only `start` and, in a
 * directory that exists, `join-new` create a database.
 */
export type EmbeddedMode = 'start' | 'join' | 'join-new';

const openers = { start: startEmbedded, join: joinEmbedded, 'join-new': joinOrCreateEmbedded };

export interface Postgres {
  url: string;
  /** Past a connection pooler. */
  direct: DirectConnection;
  stop: () => Promise<void>;
}

export interface OpenPostgresOptions {
  /** Receives what an operator should know. */
  warn?: (message: string) => void;
  /** Called if the embedded one is started, when its process runs. */
  onLaunch?: (() => void) | undefined;
}

export async function openPostgres(
  { database, dataDir }: Pick<Config, 'database' | 'dataDir'>,
  mode: EmbeddedMode,
  { warn: log = () => undefined, onLaunch }: OpenPostgresOptions = {},
): Promise<Postgres> {
  const { url, directUrl, pooled, connectTimeoutMs } = database;
  const variable = pooled ? 'DIRECT_DATABASE_URL' : 'DATABASE_URL';
  if (url !== undefined) {
    const direct = { url: directUrl ?? url, variable, connectTimeoutMs };
    return { url, direct, stop: () => Promise.resolve() };
  }
  const embedded = await openers[mode]({ dataDir, log, onLaunch });
  return {
    url: embedded.url,
    direct: { url: embedded.url, variable, connectTimeoutMs },
    stop: () => embedded.stop(),
  };
}
