/** Opens the PostgreSQL cluster in a directory, creating it on the first start. */
import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../lib/errors/error-code.js';
import { locateBinaries, reachableBinaries } from './binaries.js';
import { createCluster, passwordFiles } from './initdb.js';
import { EmbeddedPostgresError } from './problem.js';
import { chooseRunAs } from './run-as.js';
import type { ServerOptions } from './server.js';

export const SUPERUSER = 'postgres';
const SUPPORTED_MAJOR = '18';
/** In the directory of the options, next to the server's log. */
const CLUSTER = 'postgres';

export interface ClusterOptions {
  /** Contains the cluster and the server's log. The current user can write to it. */
  directory: string;
  /** Receives a copy of the binaries if PostgreSQL runs as a user who cannot reach them. Only root can write to it, and all users can read it. */
  binariesCache: string;
  /** False: do not fsync. Only for temporary clusters. */
  durable?: boolean;
}

export interface Cluster {
  /** With links resolved. */
  directory: string;
  passwords: Record<keyof typeof passwordFiles, string>;
  server: ServerOptions;
}

export function hasCluster(directory: string): boolean {
  return existsSync(path.join(directory, CLUSTER));
}

/** Creates the cluster if there is none. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { durable = true } = options;
  const parent = await realpath(options.directory);
  const directory = path.join(parent, CLUSTER);
  const isNew = !hasCluster(parent);
  const runAs = await chooseRunAs(parent, isNew ? undefined : directory);
  const { initdb, postgres: program } = await reachableBinaries(
    await locateBinaries(),
    runAs?.user,
    options.binariesCache,
  );
  if (isNew) await createCluster({ directory, initdb, superuser: SUPERUSER, runAs, durable });
  const pgdata = await assertSupportedData(directory);
  const role = await readClusterFile(directory, passwordFiles.role);
  const superuser = await readClusterFile(directory, passwordFiles.superuser);
  const logFile = path.join(parent, 'postgres.log');
  return {
    directory: parent,
    passwords: { role, superuser },
    server: { pgdata, program, runAs, logFile, durable },
  };
}

async function assertSupportedData(directory: string): Promise<string> {
  const pgdata = path.join(directory, 'data');
  const version = await readClusterFile(directory, path.join('data', 'PG_VERSION'));
  if (version === SUPPORTED_MAJOR) return pgdata;
  throw new EmbeddedPostgresError(
    'cluster_of_another_version',
    `${pgdata} was created by PostgreSQL ${version}, but this release runs PostgreSQL ${SUPPORTED_MAJOR}.`,
  );
}

async function readClusterFile(directory: string, name: string): Promise<string> {
  try {
    return (await readFile(path.join(directory, name), 'utf8')).trim();
  } catch (cause) {
    throw errorCode(cause) === 'ENOENT'
      ? new EmbeddedPostgresError(
          'incomplete_cluster',
          `${directory} contains no complete database, or one from before the first release.`,
          { cause },
        )
      : new EmbeddedPostgresError(
          'cluster_of_another_user',
          `${directory} belongs to another user.`,
          { cause },
        );
  }
}
