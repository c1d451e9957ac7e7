/** Opens the PostgreSQL cluster in a data directory, creating it on the first start. */
import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { prepareDataDirectory } from '../../lib/data-directory.js';
import { errorCode } from '../../lib/error-code.js';
import { locateBinaries } from './binaries.js';
import { createCluster } from './initdb.js';
import { createPasswords, passwordFiles } from './passwords.js';
import { reachableBinaries } from './reachable-binaries.js';
import { chooseRunAs } from './run-as.js';
import type { ServerOptions } from './server.js';

export const SUPERUSER = 'postgres';
const SUPPORTED_MAJOR = '18';

export interface Cluster {
  dataDir: string;
  passwords: Record<keyof typeof passwordFiles, string>;
  server: ServerOptions;
}

export async function openCluster(configuredDir: string, durable: boolean): Promise<Cluster> {
  await prepareDataDirectory(configuredDir);
  const dataDir = await realpath(configuredDir);
  const directory = path.join(dataDir, 'postgres');
  const cluster = existsSync(directory) ? directory : undefined;
  const runAs = await chooseRunAs(dataDir, cluster);
  const { initdb, postgres: program } = await reachableBinaries(
    await locateBinaries(),
    runAs?.user,
  );
  if (cluster === undefined) {
    await createCluster({ directory, initdb, superuser: SUPERUSER, runAs, durable });
  }
  const pgdata = await checkedData(directory);
  // Checked first, because a directory without a password was never complete.
  const service = await readClusterFile(directory, passwordFiles.service);
  await createPasswords(directory, runAs?.user);
  const superuser = await readClusterFile(directory, passwordFiles.superuser);
  const logFile = path.join(dataDir, 'postgres.log');
  return {
    dataDir,
    passwords: { service, superuser },
    server: { pgdata, program, runAs, logFile, durable },
  };
}

async function checkedData(directory: string): Promise<string> {
  const pgdata = path.join(directory, 'data');
  const version = await readClusterFile(directory, path.join('data', 'PG_VERSION'));
  if (version !== SUPPORTED_MAJOR) {
    throw new Error(
      `${pgdata} was created by PostgreSQL ${version}, but this release runs PostgreSQL ${SUPPORTED_MAJOR}. ` +
        'Dump it with the release that created it, start with an empty DATA_DIR, and restore the dump.',
    );
  }
  return pgdata;
}

async function readClusterFile(directory: string, name: string): Promise<string> {
  try {
    return (await readFile(path.join(directory, name), 'utf8')).trim();
  } catch (cause) {
    const reason =
      errorCode(cause) === 'ENOENT'
        ? 'contains no complete database. Restore it from a backup, or remove the directory to start over.'
        : 'belongs to another user. Start the service as that user, or choose another DATA_DIR.';
    throw new Error(`${directory} ${reason}`, { cause });
  }
}
