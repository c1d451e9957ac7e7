/** Opens the database: one connection pool for Prisma and hand-written SQL, and a small one for searches. */
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { PrismaClient } from '../../../generated/prisma/client.js';
import type { ClockReading } from '../../lib/time/clock.js';
import { createFairQueue, type FairQueue, inSlot } from '../../lib/async/fair-queue.js';
import { connectTimeoutMs } from '../../lib/net/database-url.js';
import { PostgresClient } from './client.js';
import { followClock } from './clock-warning.js';
import {
  type Connection,
  type Queryable,
  queryableOn,
  type Transaction,
  retryOnConflict,
  transactionOn,
} from './connection.js';
import { DatabaseProblem, explainConnectionFailure } from './connection-problem.js';
import { StoreUnavailable } from './errors.js';
import { startHeartbeat } from './heartbeat.js';
import type { StatementObserver } from './observe-statements.js';
import { connectionSettings, openPool, type PoolOptions } from './pool.js';
import {
  readConnectionLimit,
  readServerSettings,
  type ServerSettings,
} from './server-check.sql.js';

export type { Connection, Queryable, Transaction };

/** The handle on the database. `prisma` is internal to the store. */
export interface Database extends Connection {
  readonly prisma: PrismaClient;
  /**
   * For statements whose cost depends on how much an account has stored. They have a few separate connections, which accounts share
   * fairly, and a short time limit, so that neither other work nor other accounts wait for them.
   */
  searches(accountId: string): Queryable;
  /** Commits when the work resolves, and rolls back when it rejects. Repeats the work if it conflicts with another transaction. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** Reports every statement from now on. */
  observeStatements(observer: StatementObserver): void;
  /** Returns the current use of connections. */
  connections(): ConnectionUse[];
  /** Rejects within two seconds if the database is unavailable, however busy its connections are. */
  check(): Promise<{ isReadOnly: boolean }>;
  close(): Promise<void>;
}

interface ConnectionUse {
  purpose: 'requests' | 'searches';
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
  /** Receives warnings for the operator: connections are lost, too many, or hang. */
  warn?: (message: string) => void;
}

const OLDEST_MAJOR = 14;

/** Connections outside the pools: one for the heartbeat, and two that listen. */
const otherConnections = 3;

/** Throws a DatabaseProblem, which says what to fix, if the database cannot be used. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { pooled = false, warn = () => undefined } = options;
  const poolOptions = { ...options, size: options.poolSize, pooled, warn };
  const connection = connectionSettings(poolOptions);
  const { client, hasCitus, clock } = await connectAndCheck(connection, options.url);
  const onClock = followClock(warn);
  onClock(clock);
  const main = openPool(poolOptions);
  const search = openPool(searchOptions(poolOptions, { genericPlans: !hasCitus }));
  const { pool } = main;
  if (!pooled) {
    const needed = pool.options.max + search.pool.options.max + otherConnections;
    await checkConnectionLimit(client, needed, warn);
  }
  const heartbeat = startHeartbeat({
    client,
    connection,
    onHang: (reason) => {
      warn('The database does not respond. Until it does, requests are refused.');
      main.suspend(reason);
      search.suspend(reason);
    },
    onRecovery: () => {
      main.resume();
      search.resume();
      warn('The database responds again.');
    },
    onReadOnly: (isReadOnly) => {
      if (isReadOnly) {
        warn('The database is read-only. Reads are served; writes are refused.');
        return;
      }
      // The pools' connections may still lead to the read-only server.
      const replaced = new StoreUnavailable('The connection is replaced by one that can write.');
      for (const each of [main, search]) {
        each.suspend(replaced);
        // Resumes after the connections are closed, so that closing them causes no warnings.
        setImmediate(each.resume);
      }
      warn('The database accepts writes again.');
    },
    onClock,
  });
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: {
      maxWait: connectTimeoutMs(options.url),
      timeout: options.statementTimeoutMs,
    },
  });
  const searches = queryableOn(search.pool, { pooled });
  const queue = createFairQueue(search.pool.options.max);
  return {
    ...queryableOn(pool, { pooled }),
    prisma,
    searches: (accountId) => withFairQueue(searches, queue, accountId),
    transaction: (work) =>
      retryOnConflict(() => prisma.$transaction((client) => work(transactionOn(client)))),
    observeStatements: (observer) => {
      main.observe(observer);
      search.observe(observer);
    },
    connections: () => [useOf('requests', pool), useOf('searches', search.pool)],
    check: heartbeat.check,
    close: async () => {
      await prisma.$disconnect();
      // The heartbeat stops last, because it frees connections if the database hangs.
      await Promise.all([pool.end(), search.pool.end()]);
      await heartbeat.stop();
    },
  };
}

function useOf(purpose: ConnectionUse['purpose'], pool: pg.Pool): ConnectionUse {
  const { totalCount, idleCount, waitingCount, options } = pool;
  return {
    purpose,
    inUse: totalCount - idleCount,
    idle: idleCount,
    max: options.max,
    waiting: waitingCount,
  };
}

function withFairQueue(queryable: Queryable, queue: FairQueue, accountId: string): Queryable {
  return {
    run: (statement, values) =>
      inSlot(queue, accountId, () => queryable.run<never>(statement, values)),
  };
}

const searchTimeoutMs = 3_000;

function searchOptions(
  options: PoolOptions,
  { genericPlans }: { genericPlans: boolean },
): PoolOptions {
  return {
    ...options,
    genericPlans,
    size: Math.max(2, Math.floor(options.size / 4)),
    statementTimeoutMs: Math.min(searchTimeoutMs, options.statementTimeoutMs),
  };
}

async function connectAndCheck(
  connection: pg.ClientConfig,
  url: string,
): Promise<{ client: PostgresClient; hasCitus: boolean; clock: ClockReading }> {
  const client = new PostgresClient(connection);
  try {
    await client.connect();
    const settings = await readServerSettings(client);
    assertUsable(settings);
    return { client, hasCitus: settings.hasCitus, clock: settings.clock };
  } catch (error) {
    await client.end().catch(() => undefined);
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

/** The server refuses connections beyond its limit, and the requests that need them get a 503. */
async function checkConnectionLimit(
  client: PostgresClient,
  needed: number,
  warn: (message: string) => void,
): Promise<void> {
  const limit = await readConnectionLimit(client);
  if (limit >= needed) return;
  warn(
    `The database allows fewer connections than DATABASE_POOL_SIZE asks for: this process uses up to ${needed}, and ${limit} are ` +
      'allowed. Requests that get none are refused with a 503. Lower DATABASE_POOL_SIZE, or raise max_connections of the server ' +
      'and the connection limit of its user.',
  );
}
