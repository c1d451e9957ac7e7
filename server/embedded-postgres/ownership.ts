/**
 * The session in which the superuser reserves a cluster for one process, and sets it up.
 * Why SQL: the role and the database must exist before Prisma can connect, and Prisma has no advisory locks.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { hasCode } from '../lib/errors/error-code.js';
import { PostgresClient } from '../lib/net/postgres-client.js';
import { EmbeddedPostgresError } from './problem.js';

export interface Ownership {
  /** Holds the lock. */
  client: pg.Client;
  release(): Promise<void>;
}

interface OwnershipOptions {
  /** Of the cluster, for the error. */
  directory: string;
  /** Of the superuser. */
  url: string;
  applicationName: string;
  /** Called if the connection ends without release(). */
  onLost: () => void;
}

const LOCK_KEY = 7_216_944;
// PostgreSQL may take a moment to release the lock of a process that was just killed.
const LOCK_TIMEOUT_MS = 1_000;
const POLL_MS = 50;
const WRONG_PASSWORD = '28P01';

/** PostgreSQL releases the lock however this process ends. Throws an EmbeddedPostgresError if another process holds it. */
export async function takeOwnership(options: OwnershipOptions): Promise<Ownership> {
  const { directory, onLost } = options;
  const client = await connect(options);
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  while (!(await tryLock(client))) {
    if (Date.now() > deadline) {
      await client.end();
      throw new EmbeddedPostgresError(
        'cluster_in_use',
        `Another service is running on ${directory}.`,
      );
    }
    await delay(POLL_MS);
  }
  client.on('end', onLost);
  return {
    client,
    release: async () => {
      client.off('end', onLost);
      await client.end();
    },
  };
}

async function connect({ url, applicationName }: OwnershipOptions): Promise<pg.Client> {
  const client = new PostgresClient({ connectionString: url, application_name: applicationName });
  try {
    await client.connect();
    return client;
  } catch (cause) {
    if (!hasCode(cause, WRONG_PASSWORD)) throw cause;
    throw new EmbeddedPostgresError(
      'wrong_password',
      "The embedded database does not accept its superuser's password.",
      { cause },
    );
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'SELECT pg_try_advisory_lock($1) AS locked',
    [LOCK_KEY],
  );
  return rows[0]?.locked === true;
}

/** The database has the name of the role. Does nothing if it exists. */
export async function createRoleAndDatabase(
  client: pg.Client,
  role: string,
  password: string,
): Promise<void> {
  const database = await client.query('SELECT FROM pg_database WHERE datname = $1', [role]);
  if (database.rowCount === 1) return;
  const existing = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  if (existing.rowCount === 0) {
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD ${pg.escapeLiteral(password)}`);
  }
  await client.query(`CREATE DATABASE ${role} OWNER ${role}`);
}
