/** Finds where the data of the installation is, and the keys that its secrets are encrypted with. */
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import { findLoosePermissions, loadSecretsKeys } from '../config/secrets-file.js';
import { createSecrets, type KeyRing } from '../lib/secrets.js';
import { findCluster } from '../store/embedded/cluster.js';
import { type EmbeddedMode, openPostgres, type Postgres } from './postgres.js';

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
  if (config.database.url === undefined && embedded === 'join') await findCluster(config.dataDir);
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
