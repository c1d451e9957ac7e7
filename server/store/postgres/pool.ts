/** A connection pool whose users fail at once while the database hangs, instead of waiting for it. */
import { Socket } from 'node:net';
import pg from 'pg';
import { PostgresClient } from './client.js';
import { StoreUnavailable } from './errors.js';
import { observeStatementsOf, type StatementObserver } from './observe-statements.js';

export interface ConnectionPool {
  /** What Prisma and the statements of `sql/` use. */
  pool: pg.Pool;
  /** Cuts all connections and refuses new ones until `resume`. */
  suspend: (reason: Error) => void;
  resume: () => void;
  /** Reports every statement from now on, on the connections that there are and on new ones. */
  observe: (observer: StatementObserver) => void;
}

export interface PoolOptions {
  url: string;
  size: number;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  /** Whether connections go through a pooler in transaction mode, which keeps no session settings or statements. */
  pooled: boolean;
  /** Plans each prepared statement once: for those that take longer to plan, since they read many partitions, than to run. */
  plansOnce?: boolean;
  /** Receives what an operator should know. */
  warn: (message: string) => void;
}

const APPLICATION_NAME = 'agent-hosting-service';

export function openPool(options: PoolOptions): ConnectionPool {
  const clients = new Set<PostgresClient>();
  let outage: Error | undefined;
  let observer: StatementObserver | undefined;

  /** The pool connects with a callback. While the database hangs, that gets the reason at once. */
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
  limitSilence(pool, options.statementTimeoutMs + 1_000);
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

/** For the pool, and for a connection like one of the pool's. */
export function connectionSettings(options: PoolOptions): pg.PoolConfig {
  return {
    connectionString: options.url,
    application_name: APPLICATION_NAME,
    max: options.size,
    connectionTimeoutMillis: options.connectTimeoutMs,
    // A new connection has to plan all statements again, so connections outlive the pauses between bursts of requests.
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(options.pooled
      ? {}
      : {
          statement_timeout: options.statementTimeoutMs,
          idle_in_transaction_session_timeout: options.statementTimeoutMs,
          // Prisma writes and reads timestamps without a time zone, so the session must use UTC. No statement is worth compiling. A
          // plan is kept while its table grows: one that was made for an empty table must not read all of it.
          options: `-c TimeZone=UTC -c jit=off ${options.plansOnce ? '-c plan_cache_mode=force_generic_plan' : '-c enable_seqscan=off'}`,
        }),
  };
}

/**
 * PostgreSQL ends a statement that takes too long. A connection in use that is silent for longer is lost, and is closed. `query_timeout`
 * of pg would leave it open, and Prisma would return it to the pool.
 */
function limitSilence(pool: pg.Pool, limitMs: number): void {
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
