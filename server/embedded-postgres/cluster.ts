/** Opens the PostgreSQL cluster in a data directory, creating it on the first start. */
import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { assertDataDirectoryUsable, prepareDataDirectory } from '../config/data-directory.js';
import { errorCode } from '../lib/errors/error-code.js';
import { locateBinaries } from './binaries.js';
import { createCluster } from './initdb.js';
import { passwordFiles } from './passwords.js';
import { reachableBinaries } from './reachable-binaries.js';
import { chooseRunAs } from './run-as.js';
import type { ServerOptions } from './server.js';

export const SUPERUSER = 'postgres';
const SUPPORTED_MAJOR = '18';
/** The directory of the cluster in DATA_DIR. */
const CLUSTER = 'postgres';

export interface Cluster {
  dataDir: string;
  passwords: Record<keyof typeof passwordFiles, string>;
  server: ServerOptions;
}

/** Throws unless the directory contains a database. Only the start of a service may create one. */
export async function assertClusterExists(dataDir: string): Promise<void> {
  await assertDataDirectoryUsable(dataDir);
  if (existsSync(path.join(dataDir, CLUSTER))) return;
  throw new Error(
    `DATA_DIR is ${dataDir}, and there is no database in it. Set DATA_DIR to the directory of the service, ` +
      'or start the service once (npm start), which creates its database.',
  );
}

/** Creates the cluster if there is none. */
export async function openCluster(configuredDir: string, durable: boolean): Promise<Cluster> {
  await prepareDataDirectory(configuredDir);
  const dataDir = await realpath(configuredDir);
  const directory = path.join(dataDir, CLUSTER);
  const cluster = existsSync(directory) ? directory : undefined;
  const runAs = await chooseRunAs(dataDir, cluster);
  const { initdb, postgres: program } = await reachableBinaries(
    await locateBinaries(),
    runAs?.user,
  );
  if (cluster === undefined) {
    await createCluster({ directory, initdb, superuser: SUPERUSER, runAs, durable });
  }
  const pgdata = await assertSupportedData(directory);
  const service = await readClusterFile(directory, passwordFiles.service);
  const superuser = await readClusterFile(directory, passwordFiles.superuser);
  const logFile = path.join(dataDir, 'postgres.log');
  return {
    dataDir,
    passwords: { service, superuser },
    server: { pgdata, program, runAs, logFile, durable },
  };
}

async function assertSupportedData(directory: string): Promise<string> {
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
        ? 'contains no complete database, or one from before the first release. Restore it from a backup, or remove the directory to start over.'
        : 'belongs to another user. Start the service as that user, or choose another DATA_DIR.';
    throw new Error(`${directory} ${reason}`, { cause });
  }
}
