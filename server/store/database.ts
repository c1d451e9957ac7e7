/** Opens the database: one connection pool, shared by Prisma and hand-written SQL, and small ones for searches. */
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { PrismaClient } from '../../generated/prisma/client.js';
import { hasCode } from '../lib/error-code.js';
import { createFairQueue, type FairQueue, inSlot } from '../lib/fair-queue.js';
import { withTimeLimit } from '../lib/time-limit.js';
import {
  type Connection,
  type Queryable,
  queryableOn,
  type Transaction,
  transactionOn,
} from './connection.js';
import { DatabaseProblem, explainConnectionFailure } from './connection-problem.js';
import { StoreUnavailable } from './errors.js';
import { startHeartbeat } from './heartbeat.js';
import { openPool, type PoolOptions } from './pool.js';
import { openReplica } from './replica.js';
import { readServerSettings } from './sql/server-check.js';

export type { Connection, Queryable, Transaction };

/** The handle on the database. `prisma` is internal to the store. */
export interface Database extends Connection {
  readonly prisma: PrismaClient;
  /**
   * For statements whose cost depends on how much a tenant has stored: few connections of their own, shared
   * fairly by accounts, and a short limit, so that neither other work nor other accounts wait for them. Asked for by each
   * request: a replica may serve it, which then has what was written before.
   */
  searches(accountId: string): Queryable;
  /** Whether a replica serves searches now. */
  hasReplica(): boolean;
  /** Commits when the work resolves, and rolls back when it rejects. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
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
  /** Serves searches, unless it takes longer than `maxLagMs` to have what was written before. */
  replica?: { url: string; maxLagMs: number } | undefined;
  /** Receives what an operator should know: connections were lost, are too many, or hang. */
  warn?: (message: string) => void;
}

const OLDEST_MAJOR = 14;

const exhausted = 'No connection to the database is free.';

const limitAdvice =
  'The database allows fewer connections than DATABASE_POOL_SIZE, so requests wait for each other. ' +
  'Lower DATABASE_POOL_SIZE, or raise max_connections of the server.';

/** Throws a DatabaseProblem that says how to fix it if the database cannot be used. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { pooled = false, warn = () => undefined } = options;
  let isLimitKnown = false;
  const onLimit = () => {
    if (!isLimitKnown) warn(limitAdvice);
    isLimitKnown = true;
  };
  const poolOptions = { ...options, size: options.poolSize, pooled, warn, onLimit };
  const main = openPool(poolOptions);
  const search = openPool(searchOptions(poolOptions));
  const { pool } = main;
  try {
    await checkServer(pool, options.url);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const heartbeat = startHeartbeat({
    connection: openPool({ ...poolOptions, size: 1, maxLifetimeSeconds: 10 }),
    isNeeded: () => main.isBusy() || search.isBusy(),
    bytesReceived: () => main.bytesReceived() + search.bytesReceived(),
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
  });
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: {
      maxWait: options.connectTimeoutMs,
      timeout: options.statementTimeoutMs,
    },
  });
  const queryable = queryableOn(pool, { pooled });
  const replica =
    options.replica &&
    openReplica({
      primary: queryable,
      pool: { ...searchOptions(poolOptions), url: options.replica.url },
      maxLagMs: options.replica.maxLagMs,
      warn,
    });
  const searches = orElse(queryableOn(search.pool, { pooled }), queryable);
  const queue = createFairQueue(search.pool.options.max);
  return {
    ...queryable,
    prisma,
    searches: (accountId) => fairly(replica?.reads(searches) ?? searches, queue, accountId),
    hasReplica: () => replica?.isUsed() ?? false,
    transaction: (work) => prisma.$transaction((client) => work(transactionOn(client))),
    connections: () => [useOf('requests', pool), useOf('searches', search.pool)],
    check: () =>
      heartbeat.check().catch((error: unknown) => {
        if (!isOutOfConnections(error)) throw error;
        return withTimeLimit(readServerSettings(pool), 1_000, new StoreUnavailable(exhausted));
      }),
    close: async () => {
      await prisma.$disconnect();
      await replica?.close();
      // Until the others have ended, it frees those that a database which hangs would keep.
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

/** The server has no connection left for another pool. */
function isOutOfConnections(error: unknown): boolean {
  return hasCode(error, '53300') || (error instanceof Error && hasCode(error.cause, '53300'));
}

/** Searches share the connections of everything else if the server allows no others. */
function orElse(queryable: Queryable, fallback: Queryable): Queryable {
  return {
    run: (statement, values) =>
      queryable.run<never>(statement, values).catch((error: unknown) => {
        if (!isOutOfConnections(error)) throw error;
        return fallback.run<never>(statement, values);
      }),
  };
}

function fairly(queryable: Queryable, queue: FairQueue, accountId: string): Queryable {
  return {
    run: (statement, values) =>
      inSlot(queue, accountId, () => queryable.run<never>(statement, values)),
  };
}

const searchTimeoutMs = 3_000;

function searchOptions(options: PoolOptions): PoolOptions {
  return {
    ...options,
    plansOnce: true,
    size: Math.max(2, Math.floor(options.size / 4)),
    connectTimeoutMs: Math.min(searchTimeoutMs, options.connectTimeoutMs),
    statementTimeoutMs: Math.min(searchTimeoutMs, options.statementTimeoutMs),
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
