/** A connection pool that fails immediately while the database hangs. */
import { Socket } from 'node:net';
import pg from 'pg';
import { connectTimeoutMs } from '../../lib/net/database-url.js';
import { PostgresClient } from './client.js';
import { StoreUnavailable } from './errors.js';
import { observeStatementsOf, type StatementObserver } from './observe-statements.js';

interface ConnectionPool {
  pool: pg.Pool;
  /** Closes all connections and refuses new ones until `resume`. */
  suspend: (reason: Error) => void;
  resume: () => void;
  /** Reports every statement from now on, on existing and new connections. */
  observe: (observer: StatementObserver) => void;
}

export interface PoolOptions {
  url: string;
  size: number;
  statementTimeoutMs: number;
  /** Whether connections go through a pooler in transaction mode, which keeps no session settings or statements. */
  pooled: boolean;
  /** Plans each prepared statement only once: statements that read many partitions take longer to plan than to run. */
  genericPlans?: boolean;
  /** Receives warnings for the operator. */
  warn: (message: string) => void;
}

const APPLICATION_NAME = 'agent-hosting-service';

export function openPool(options: PoolOptions): ConnectionPool {
  const clients = new Set<PostgresClient>();
  let outage: Error | undefined;
  let observer: StatementObserver | undefined;

  /** The pool connects with a callback, which gets the reason at once while the database hangs. */
  class PoolClient extends PostgresClient {
    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): unknown {
      if (outage && callback) {
        process.nextTick(callback, outage);
        return undefined;
      }
      clients.add(this);
      if (observer) observeStatementsOf(this, observer);
      this.once('end', () => clients.delete(this));
      if (!callback) return super.connect();
      super.connect(callback);
      return undefined;
    }
  }

  const pool = new pg.Pool({ ...connectionSettings(options), Client: PoolClient });
  pool.on('error', ({ message }) => {
    if (!outage) options.warn(`A database connection was lost: ${message}`);
  });
  closeSilentConnections(pool, options.statementTimeoutMs + 1_000);
  return {
    pool,
    suspend: (reason) => {
      outage = reason;
      for (const client of clients) client.connection.stream.destroy(reason);
    },
    resume: () => {
      outage = undefined;
    },
    observe: (added) => {
      observer = added;
      for (const client of clients) observeStatementsOf(client, added);
    },
  };
}

/** The settings of the pool's connections, also used for the heartbeat. */
export function connectionSettings(options: PoolOptions): pg.PoolConfig {
  return {
    connectionString: options.url,
    application_name: APPLICATION_NAME,
    max: options.size,
    connectionTimeoutMillis: connectTimeoutMs(options.url),
    // A new connection has to plan all statements again, so connections stay open between bursts of requests.
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(options.pooled
      ? {}
      : {
          statement_timeout: options.statementTimeoutMs,
          idle_in_transaction_session_timeout: options.statementTimeoutMs,
          // Prisma writes and reads timestamps without a time zone, so the session must use UTC. JIT compilation takes longer than it
          // saves. Plans are kept while tables grow, so a plan for an empty table must not use a sequential scan.
          options: `-c TimeZone=UTC -c jit=off ${options.genericPlans ? '-c plan_cache_mode=force_generic_plan' : '-c enable_seqscan=off'}`,
        }),
  };
}

/**
 * PostgreSQL ends statements that exceed their time limit, so a connection in use that is silent for longer is lost, and is closed.
 * `query_timeout` of pg would leave it open, and Prisma would return it to the pool.
 */
function closeSilentConnections(pool: pg.Pool, limitMs: number): void {
  const setLimit = ({ connection: { stream } }: pg.PoolClient, ms: number) => {
    if (stream instanceof Socket) stream.setTimeout(ms);
  };
  pool.on('connect', ({ connection: { stream } }) => {
    stream.on('timeout', () => {
      stream.destroy(new StoreUnavailable(`The database sent nothing for ${limitMs} ms.`));
    });
  });
  pool.on('acquire', (client) => {
    setLimit(client, limitMs);
  });
  pool.on('release', (_error, client) => {
    setLimit(client, 0);
  });
}
