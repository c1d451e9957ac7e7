/** Opens the files and services that a start depends on: certificates, secrets keys and PostgreSQL, external or embedded. */
import type { SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { findLoosePermissions, loadSecretsKeys } from '../config/secrets-file.js';
import { readTls } from '../http/transport/tls.js';
import { createSecrets, type KeyRing } from '../installation/key-ring.js';
import type { DirectConnection } from '../postgres/direct-connection.js';
import { assertDatabaseExists, type EmbeddedMode, openEmbedded } from './embedded-database.js';

interface Prerequisites {
  tls: SecureContextOptions | undefined;
  storage: Storage;
}

/** Reads certificates first, so that a wrong file fails before PostgreSQL starts. */
export async function openPrerequisites(
  config: Config,
  embedded: EmbeddedMode,
  log: Logger,
): Promise<Prerequisites> {
  const tls = config.tls && (await readTls(config.tls));
  return { tls, storage: await openStorage(config, embedded, log) };
}

export interface Storage {
  secrets: KeyRing;
  postgres: Postgres;
}

/** Reads the keys first, so that a missing key fails before PostgreSQL starts. */
export async function openStorage(
  config: Config,
  embedded: EmbeddedMode,
  log?: Logger,
): Promise<Storage> {
  // Must run before loadSecretsKeys, which would create keys for a database that does not exist.
  if (config.database.url === undefined && embedded === 'join')
    await assertDatabaseExists(config.dataDir);
  const { current, previous } = await loadSecretsKeys(config);
  const usesDataDir = config.database.url === undefined || config.secretsKey === undefined;
  // Only the process that starts PostgreSQL warns, so that the warning appears once.
  if (usesDataDir && embedded === 'start') {
    for (const advice of await findLoosePermissions(config.dataDir)) log?.warn(advice);
  }
  const secrets = createSecrets(current, previous);
  const postgres = await openPostgres(config, embedded, (message) => log?.warn(message));
  return { secrets, postgres };
}

export interface Postgres {
  url: string;
  /** Bypasses a connection pooler. */
  direct: DirectConnection;
  stop: () => Promise<void>;
}

/** The mode applies without DATABASE_URL. */
export async function openPostgres(
  { database, dataDir }: Pick<Config, 'database' | 'dataDir'>,
  mode: EmbeddedMode,
  log: (message: string) => void = () => undefined,
): Promise<Postgres> {
  const { url, directUrl, pooled } = database;
  const variable = pooled ? 'DIRECT_DATABASE_URL' : 'DATABASE_URL';
  if (url !== undefined) {
    const direct = { url: directUrl ?? url, variable };
    return { url, direct, stop: () => Promise.resolve() };
  }
  const embedded = await openEmbedded(mode, { dataDir, log });
  return {
    url: embedded.url,
    direct: { url: embedded.url, variable },
    stop: () => embedded.stop(),
  };
}
