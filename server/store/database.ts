/** Opens the database: one connection pool, shared by Prisma and hand-written SQL, and a small one for searches. */
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../../generated/prisma/client.js';
import { createFairQueue, type FairQueue } from '../lib/fair-queue.js';
import {
  type Connection,
  type Queryable,
  queryableOn,
  type Transaction,
  transactionOn,
} from './connection.js';
import { DatabaseProblem, explainConnectionFailure } from './connection-problem.js';
import { readServerSettings } from './sql/server-check.js';

export type { Connection, Queryable, Transaction };

/** The handle on the database. `prisma` is internal to the store. */
export interface Database extends Connection {
  readonly prisma: PrismaClient;
  /**
   * For statements whose cost depends on how much a tenant has stored: few connections of their own, shared
   * fairly by accounts, and a short limit, so that neither other work nor other accounts wait for them.
   */
  searches(accountId: string): Queryable;
  /** Commits when the work resolves, and rolls back when it rejects. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** Rejects if the database is unavailable. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  /** Whether connections go through a pooler in transaction mode, which keeps no session settings or statements. */
  pooled?: boolean;
  /** Called when an idle connection breaks; the pool replaces it. */
  onIdleError?: (error: Error) => void;
}

const APPLICATION_NAME = 'agent-hosting-service';

const OLDEST_MAJOR = 14;

/** Throws a DatabaseProblem that says how to fix it if the database cannot be used. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { pooled = false, onIdleError = () => undefined } = options;
  const pool = new pg.Pool(poolSettings(options, pooled));
  pool.on('error', onIdleError);
  const searchPool = new pg.Pool(poolSettings(searchOptions(options), pooled));
  searchPool.on('error', onIdleError);
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
    searches: fairly(queryableOn(searchPool, { pooled }), createFairQueue(searchPool.options.max)),
    transaction: (work) => prisma.$transaction((client) => work(transactionOn(client))),
    ping: async () => {
      await readServerSettings(pool);
    },
    close: async () => {
      await prisma.$disconnect();
      await Promise.all([pool.end(), searchPool.end()]);
    },
  };
}

function fairly(queryable: Queryable, queue: FairQueue): Database['searches'] {
  return (accountId) => ({
    run: async (statement, values) => {
      const release = await queue.enter(accountId);
      return queryable.run<never>(statement, values).finally(release);
    },
  });
}

const searchTimeoutMs = 3_000;

function searchOptions(options: DatabaseOptions): DatabaseOptions {
  return {
    ...options,
    poolSize: Math.max(2, Math.floor(options.poolSize / 4)),
    connectTimeoutMs: Math.min(searchTimeoutMs, options.connectTimeoutMs),
    statementTimeoutMs: Math.min(searchTimeoutMs, options.statementTimeoutMs),
  };
}

function poolSettings(options: DatabaseOptions, pooled: boolean): pg.PoolConfig {
  return {
    connectionString: options.url,
    application_name: APPLICATION_NAME,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeoutMs,
    keepAlive: true,
    // Slightly longer than PostgreSQL's own timeout, for a server that does not respond at all.
    query_timeout: options.statementTimeoutMs + 1_000,
    ...(pooled
      ? {}
      : {
          statement_timeout: options.statementTimeoutMs,
          idle_in_transaction_session_timeout: options.statementTimeoutMs,
          // Prisma writes and reads timestamps without a time zone, so the session must use UTC.
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
      `The database is PostgreSQL ${Math.floor(version / 10_000)}; ${OLDEST_MAJOR} or newer is required. Upgrade it.`,
    );
  }
  if (!['UTC', 'Etc/UTC', 'GMT'].includes(zone)) {
    throw new DatabaseProblem(
      `Sessions of the database are in the time zone ${zone} instead of UTC. ` +
        `Run ALTER ROLE … SET TimeZone = 'UTC' for the user in DATABASE_URL, and restart the pooler if there is one.`,
    );
  }
}
