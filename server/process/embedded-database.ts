/** The embedded PostgreSQL as the service runs it: in DATA_DIR, under the service's names, and with advice if it cannot be used. */
import { assertDataDirectoryUsable, prepareDataDirectory } from '../config/data-directory.js';
import { hasCluster } from '../embedded-postgres/cluster.js';
import {
  type EmbeddedDatabase,
  type EmbeddedOptions,
  joinEmbedded,
  startEmbedded,
} from '../embedded-postgres/embedded.js';
import { EmbeddedPostgresError, type Problem } from '../embedded-postgres/problem.js';
import { messageOf } from '../lib/errors/error-code.js';

/**
 * `start` runs the embedded PostgreSQL; `join` uses one that a service may be running. Only `start` and, in an existing directory,
 * `join-new` create a database.
 */
export type EmbeddedMode = 'start' | 'join' | 'join-new';

export interface EmbeddedDatabaseOptions {
  dataDir: string;
  /** False: do not fsync. Only for temporary clusters. */
  durable?: boolean;
  /** Receives a message when PostgreSQL is lost and when it is restarted. */
  log?: (message: string) => void;
}

export async function openEmbedded(
  mode: EmbeddedMode,
  options: EmbeddedDatabaseOptions,
): Promise<EmbeddedDatabase> {
  const { dataDir } = options;
  if (mode === 'join') await assertDatabaseExists(dataDir);
  if (mode === 'join-new') await assertDataDirectoryUsable(dataDir);
  await prepareDataDirectory(dataDir);
  const open = mode === 'start' ? startEmbedded : joinEmbedded;
  const embedded = await advised(open(embeddedOptions(options)));
  return { ...embedded, stop: () => advised(embedded.stop()) };
}

/** Throws unless the directory contains a database. Only the start of a service may create one. */
export async function assertDatabaseExists(dataDir: string): Promise<void> {
  await assertDataDirectoryUsable(dataDir);
  if (hasCluster(dataDir)) return;
  throw new Error(
    `DATA_DIR is ${dataDir}, and there is no database in it. Set DATA_DIR to the directory of the service, ` +
      'or start the service once (npm start), which creates its database.',
  );
}

export function embeddedOptions(options: EmbeddedDatabaseOptions): EmbeddedOptions {
  const { dataDir, durable = true, log = () => undefined } = options;
  return {
    directory: dataDir,
    role: 'agent_hosting',
    applicationName: `agent-hosting-service owner ${process.pid}`,
    binariesCache: '/var/cache/agent-hosting-service',
    durable,
    log: (message, error) => {
      log(error === undefined ? message : `${message} ${messageOf(withAdvice(error))}`);
    },
  };
}

const advice: Record<Problem, string> = {
  no_binaries: 'Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL server.',
  incomplete_binaries: 'As its owner, run npm rebuild, or set DATABASE_URL to a PostgreSQL server.',
  unreachable_binaries:
    'Move the installation to a directory that others may enter, start the service as an unprivileged user, or set DATABASE_URL.',
  is_root: 'Start the service as an unprivileged user, or set DATABASE_URL.',
  user_without_name:
    'Start the service as a user with an entry in /etc/passwd, or set DATABASE_URL.',
  incomplete_cluster: 'Restore it from a backup, or remove the directory to start over.',
  cluster_of_another_user: 'Start the service as that user, or choose another DATA_DIR.',
  cluster_of_another_version:
    'Dump it with the release that created it, start with an empty DATA_DIR, and restore the dump.',
  cluster_in_use:
    'Stop it first, or set a different DATA_DIR. To run several services on one database, set DATABASE_URL.',
  wrong_password: 'Restore DATA_DIR from one backup, with all files in postgres.',
  hanging_server: 'End that process, then start the service again.',
};

/** Adds what a person can do to what the embedded PostgreSQL reports. */
export async function advised<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw withAdvice(error);
  }
}

function withAdvice(error: unknown): unknown {
  if (!(error instanceof EmbeddedPostgresError)) return error;
  return new Error(`${error.message} ${advice[error.problem]}`, { cause: error.cause });
}
