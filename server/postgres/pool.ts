/** The pool of connections, and how long each may be silent. */
import { Socket } from 'node:net';
import pg from 'pg';
import { hasCode } from '../lib/errors/error-code.js';
import { connectTimeoutMs } from '../lib/net/database-url.js';
import { PostgresClient } from '../lib/net/postgres-client.js';
import { StoreUnavailable } from './errors.js';
import { observeStatementsOf, type StatementObserver } from './observe-statements.js';

interface ConnectionPool {
  pool: pg.Pool;
  /** Reports every statement from now on, on existing and new connections. */
  observe: (observer: StatementObserver) => void;
}

export interface PoolOptions {
  url: string;
  size: number;
  statementTimeoutMs: number;
  /** Whether connections go through a pooler in transaction mode, which keeps no session settings or statements. */
  pooled: boolean;
  /** Receives warnings for the operator. */
  warn: (message: string) => void;
}

const APPLICATION_NAME = 'agent-hosting-service';

export function openPool(options: PoolOptions): ConnectionPool {
  const pool = new pg.Pool({ ...connectionSettings(options), Client: PostgresClient });
  pool.on('error', ({ message }) => {
    options.warn(`A database connection was lost: ${message}`);
  });
  closeSilentConnections(pool, options.statementTimeoutMs + silenceMs);
  closeReadOnlyConnections(pool);
  const clients = new Set<pg.PoolClient>();
  let observer: StatementObserver | undefined;
  pool.on('connect', (client) => {
    clients.add(client);
    if (observer) observeStatementsOf(client, observer);
  });
  pool.on('remove', (client) => clients.delete(client));
  return {
    pool,
    observe: (added) => {
      observer = added;
      for (const client of clients) observeStatementsOf(client, added);
    },
  };
}

/** The settings of the pool's connections, also used for the health check. */
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
          options: '-c TimeZone=UTC -c jit=off -c enable_seqscan=off',
        }),
  };
}

/** How long the answer of PostgreSQL, that a statement took too long, may take. */
const silenceMs = 500;

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

const READ_ONLY_TRANSACTION = '25006';

/** A session that began while the server was read-only, or leads to a former primary, stays read-only; a new one may not be. */
function closeReadOnlyConnections(pool: pg.Pool): void {
  const readOnly = new WeakSet<pg.PoolClient>();
  pool.on('connect', (client) => {
    client.connection.on('errorMessage', (error: unknown) => {
      if (hasCode(error, READ_ONLY_TRANSACTION)) readOnly.add(client);
    });
  });
  pool.on('release', (_error, client) => {
    if (readOnly.has(client)) void client.end();
  });
}
