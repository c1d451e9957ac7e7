/** Finds the PostgreSQL of the installation: that of DATABASE_URL, or the embedded one, which is started or joined. */
import type { Config } from '../config/config.js';
import type { DirectConnection } from '../store/postgres/direct-connection.js';
import { joinEmbedded, joinNewEmbedded, startEmbedded } from '../store/embedded/embedded.js';

/**
 * Without DATABASE_URL: start the embedded PostgreSQL and own it, or join one that a service may be running. Only `start` and, in a
 * directory that exists, `join-new` create a database.
 */
export type EmbeddedMode = 'start' | 'join' | 'join-new';

const openers = { start: startEmbedded, join: joinEmbedded, 'join-new': joinNewEmbedded };

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
