/** Opens what a start waits for outside of this process, files and PostgreSQL. It imports little, so that this begins early. */
import type { SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { readTls } from '../http/transport/tls.js';
import type { EmbeddedMode } from './postgres.js';
import { openStorage, type Storage } from './storage.js';

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
