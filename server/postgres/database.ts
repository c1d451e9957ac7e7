/** Opens the database: one connection pool for Prisma and hand-written SQL. */
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { PrismaClient } from '../../generated/prisma/client.js';
import { connectTimeoutMs } from '../lib/net/database-url.js';
import {
  type Connection,
  type Queryable,
  queryableOn,
  type Transaction,
  retryOnConflict,
  transactionOn,
} from './connection.js';
import { DatabaseProblem, explainConnectionFailure } from './connection-problem.js';
import { HealthCheck } from './health-check.js';
import type { StatementObserver } from './observe-statements.js';
import { connectionSettings, openPool } from './pool.js';
import { createSearches } from './searches.sql.js';
import { readConnectionLimit, type ServerSettings } from './server-check.sql.js';

export type { Connection, Queryable, Transaction };

/** The handle on the database. Only the nouns, and what is below them, look inside (`usesDatabase` in test/architecture.test.ts). */
export interface Database extends Connection {
  readonly prisma: PrismaClient;
  /** For statements whose cost depends on how much an account has stored: accounts share a few connections, with a short time limit. */
  searches(accountId: string): Queryable;
  /** Commits when the work resolves, and rolls back when it rejects. Repeats the work if it conflicts with another transaction. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** Reports every statement from now on. */
  observeStatements(observer: StatementObserver): void;
  /** Returns the current use of connections. */
  connections(): ConnectionUse;
  /** Rejects within three seconds if the database is unavailable, however busy its connections are. */
  check(): Promise<{ isReadOnly: boolean }>;
  close(): Promise<void>;
}

interface ConnectionUse {
  inUse: number;
  idle: number;
  max: number;
  /** The number of callers that wait for a connection. */
  waiting: number;
}

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  statementTimeoutMs: number;
  /** Whether connections go through a pooler in transaction mode, which keeps no session settings or statements. */
  pooled?: boolean;
  /** Receives warnings for the operator: connections are lost, too many, or silent. */
  warn?: (message: string) => void;
}

const OLDEST_MAJOR = 14;

/** Connections outside the pool: one for the health check, and two that listen. */
const otherConnections = 3;

/** Throws a DatabaseProblem, which says what to fix, if the database cannot be used. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { pooled = false, warn = () => undefined } = options;
  const poolOptions = { ...options, size: options.poolSize, pooled, warn };
  const health = new HealthCheck(connectionSettings(poolOptions), warn);
  const limits = pooled ? undefined : { needed: options.poolSize + otherConnections, warn };
  const { hasCitus } = await checkServer(health, options.url, limits);
  health.start();
  const { pool, observe } = openPool(poolOptions);
  const queryable = queryableOn(pool, { pooled });
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: {
      maxWait: connectTimeoutMs(options.url),
      timeout: options.statementTimeoutMs,
    },
  });
  return {
    ...queryable,
    prisma,
    searches: createSearches(queryable, { ...options, hasCitus }),
    transaction: (work) =>
      retryOnConflict(() => prisma.$transaction((client) => work(transactionOn(client)))),
    observeStatements: observe,
    connections: () => useOf(pool),
    check: () => health.check(),
    close: async () => {
      await prisma.$disconnect();
      await Promise.all([pool.end(), health.stop()]);
    },
  };
}

function useOf({ totalCount, idleCount, waitingCount, options }: pg.Pool): ConnectionUse {
  return {
    inUse: totalCount - idleCount,
    idle: idleCount,
    max: options.max,
    waiting: waitingCount,
  };
}

/** `limits` is undefined behind a pooler, which has limits of its own. */
async function checkServer(
  health: HealthCheck,
  url: string,
  limits: ConnectionLimits | undefined,
): Promise<ServerSettings> {
  try {
    const client = await health.connect();
    try {
      const settings = await health.read(client);
      assertUsable(settings);
      if (limits) await checkConnectionLimit(client, limits);
      return settings;
    } finally {
      client.release();
    }
  } catch (error) {
    await health.stop();
    throw error instanceof DatabaseProblem
      ? error
      : explainConnectionFailure(url, 'DATABASE_URL', error);
  }
}

function assertUsable({ version, zone }: ServerSettings): void {
  if (version < OLDEST_MAJOR * 10_000) {
    throw new DatabaseProblem(
      `The database is PostgreSQL ${Math.floor(version / 10_000)}; ${OLDEST_MAJOR} or newer is required. Upgrade it.`,
    );
  }
  if (!['UTC', 'Etc/UTC', 'GMT'].includes(zone)) {
    throw new DatabaseProblem(
      `Database sessions use the time zone ${zone} instead of UTC. ` +
        `Run ALTER ROLE … SET TimeZone = 'UTC' for the user in DATABASE_URL, and restart the pooler if there is one.`,
    );
  }
}

interface ConnectionLimits {
  /** How many connections this process opens at most. */
  needed: number;
  warn: (message: string) => void;
}

/** The server refuses connections beyond its limit, and the requests that need them get a 503. */
async function checkConnectionLimit(
  client: pg.PoolClient,
  { needed, warn }: ConnectionLimits,
): Promise<void> {
  const limit = await readConnectionLimit(client);
  if (limit >= needed) return;
  warn(
    `The database allows fewer connections than DATABASE_POOL_SIZE asks for: this process uses up to ${needed}, and ${limit} are ` +
      'allowed. Requests that get none are refused with a 503. Lower DATABASE_POOL_SIZE, or raise max_connections of the server ' +
      'and the connection limit of its user.',
  );
}
