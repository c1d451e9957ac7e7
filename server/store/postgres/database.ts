/** Opens the database: one connection pool, shared by Prisma and hand-written SQL, and small ones for searches. */
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { PrismaClient } from '../../../generated/prisma/client.js';
import { createFairQueue, type FairQueue, inSlot } from '../../lib/async/fair-queue.js';
import { PostgresClient } from './client.js';
import {
  type Connection,
  type Queryable,
  queryableOn,
  type Transaction,
  retryingConflicts,
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
   * For statements whose cost depends on how much a tenant has stored: few connections of their own, shared
   * fairly by accounts, and a short limit, so that neither other work nor other accounts wait for them.
   */
  searches(accountId: string): Queryable;
  /** Commits when the work resolves, and rolls back when it rejects. The work runs again if another transaction was in the way. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** Reports every statement from now on. */
  observeStatements(observer: StatementObserver): void;
  /** What its connections are used for at the moment. */
  connections(): ConnectionUse[];
  /** Rejects within two seconds if the database is unavailable, however busy its connections are. */
  check(): Promise<{ isReadOnly: boolean }>;
  close(): Promise<void>;
}

export interface ConnectionUse {
  purpose: 'requests' | 'searches';
  inUse: number;
  idle: number;
  /** As many as there may be. */
  max: number;
  /** Who waits for one. */
  waiting: number;
}

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  /** Whether connections go through a pooler in transaction mode, which keeps no session settings or statements. */
  pooled?: boolean;
  /** Receives what an operator should know: connections were lost, are too many, or hang. */
  warn?: (message: string) => void;
}

const OLDEST_MAJOR = 14;

/** Besides those of the pools: one for the heartbeat, and two that listen. */
const otherConnections = 3;

/** Throws a DatabaseProblem that says how to fix it if the database cannot be used. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { pooled = false, warn = () => undefined } = options;
  const poolOptions = { ...options, size: options.poolSize, pooled, warn };
  const connection = connectionSettings(poolOptions);
  const { client, hasCitus } = await connectAndCheck(connection, options.url);
  const main = openPool(poolOptions);
  const search = openPool(searchOptions(poolOptions, { plansOnce: !hasCitus }));
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
      // The other connections may still lead to the server that is read-only.
      const replaced = new StoreUnavailable('The connection is replaced by one that can write.');
      for (const each of [main, search]) {
        each.suspend(replaced);
        // Once the connections are closed, which is no news.
        setImmediate(each.resume);
      }
      warn('The database takes writes again.');
    },
  });
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: {
      maxWait: options.connectTimeoutMs,
      timeout: options.statementTimeoutMs,
    },
  });
  const searches = queryableOn(search.pool, { pooled });
  const queue = createFairQueue(search.pool.options.max);
  return {
    ...queryableOn(pool, { pooled }),
    prisma,
    searches: (accountId) => fairly(searches, queue, accountId),
    transaction: (work) =>
      retryingConflicts(() => prisma.$transaction((client) => work(transactionOn(client)))),
    observeStatements: (observer) => {
      main.observe(observer);
      search.observe(observer);
    },
    connections: () => [useOf('requests', pool), useOf('searches', search.pool)],
    check: heartbeat.check,
    close: async () => {
      await prisma.$disconnect();
      // The heartbeat stops last: it frees connections that a database which hangs would keep.
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

function fairly(queryable: Queryable, queue: FairQueue, accountId: string): Queryable {
  return {
    run: (statement, values) =>
      inSlot(queue, accountId, () => queryable.run<never>(statement, values)),
  };
}

const searchTimeoutMs = 3_000;

function searchOptions(options: PoolOptions, { plansOnce }: { plansOnce: boolean }): PoolOptions {
  return {
    ...options,
    plansOnce,
    size: Math.max(2, Math.floor(options.size / 4)),
    connectTimeoutMs: Math.min(searchTimeoutMs, options.connectTimeoutMs),
    statementTimeoutMs: Math.min(searchTimeoutMs, options.statementTimeoutMs),
  };
}

async function connectAndCheck(
  connection: pg.ClientConfig,
  url: string,
): Promise<{ client: PostgresClient; hasCitus: boolean }> {
  const client = new PostgresClient(connection);
  try {
    await client.connect();
    const settings = await readServerSettings(client);
    assertUsable(settings);
    return { client, hasCitus: settings.hasCitus };
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
      `Sessions of the database are in the time zone ${zone} instead of UTC. ` +
        `Run ALTER ROLE … SET TimeZone = 'UTC' for the user in DATABASE_URL, and restart the pooler if there is one.`,
    );
  }
}

/** The server refuses what exceeds its limit, which is a 503 for the request that needs the connection. */
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
