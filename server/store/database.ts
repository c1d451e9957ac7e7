/** Opens the database: one pool of connections, shared by Prisma and by hand-written SQL. */
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../../generated/prisma/client.js';
import { type Connection, queryableOn, type Transaction, transactionOn } from './connection.js';
import { DatabaseProblem, explainConnectionFailure } from './connection-problem.js';
import { readServerSettings } from './sql/server-check.js';

export type { Connection, Transaction };

/** The one handle on the database. `prisma` and `pool` are for the store alone. */
export interface Database extends Connection {
  readonly prisma: PrismaClient;
  readonly pool: pg.Pool;
  /** Commits what the work did when it resolves, and undoes it when it rejects. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** Rejects if the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  /** Whether a pooler in transaction mode stands in front, which forgets a session's settings and statements. */
  pooled?: boolean;
  /** Told of idle connections that broke; the pool replaces them by itself. */
  onIdleError?: (error: Error) => void;
}

const APPLICATION_NAME = 'agent-hosting-service';

const OLDEST_MAJOR = 14;

/** Throws a DatabaseProblem, with what to do about it, if the database cannot serve. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { pooled = false, onIdleError = () => undefined } = options;
  const pool = new pg.Pool(poolSettings(options, pooled));
  pool.on('error', onIdleError);
  try {
    await checkServer(pool, options.url);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: {
      maxWait: options.connectTimeoutMs,
      timeout: options.statementTimeoutMs,
    },
  });
  return {
    ...queryableOn(pool, { pooled }),
    prisma,
    pool,
    transaction: (work) => prisma.$transaction((client) => work(transactionOn(client))),
    ping: async () => {
      await readServerSettings(pool);
    },
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

function poolSettings(options: DatabaseOptions, pooled: boolean): pg.PoolConfig {
  return {
    connectionString: options.url,
    application_name: APPLICATION_NAME,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeoutMs,
    keepAlive: true,
    // A little later than PostgreSQL's own limit, for when it does not answer at all.
    query_timeout: options.statementTimeoutMs + 1_000,
    ...(pooled
      ? {}
      : {
          statement_timeout: options.statementTimeoutMs,
          idle_in_transaction_session_timeout: options.statementTimeoutMs,
          // Prisma writes and reads times with no zone, so the session's must be UTC.
          options: '-c TimeZone=UTC',
        }),
  };
}

async function checkServer(pool: pg.Pool, url: string): Promise<void> {
  const { version, zone } = await readServerSettings(pool).catch((cause: unknown) => {
    throw explainConnectionFailure(url, 'DATABASE_URL', cause);
  });
  if (version < OLDEST_MAJOR * 10_000) {
    throw new DatabaseProblem(
      `The database is PostgreSQL ${Math.floor(version / 10_000)}; ${OLDEST_MAJOR} or newer is needed. Upgrade it.`,
    );
  }
  if (!['UTC', 'Etc/UTC', 'GMT'].includes(zone)) {
    throw new DatabaseProblem(
      `Sessions of the database are in the time zone ${zone} instead of UTC. ` +
        `Run ALTER ROLE … SET TimeZone = 'UTC' for the user in DATABASE_URL, and restart the pooler if there is one.`,
    );
  }
}
