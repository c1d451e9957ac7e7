/** A connection pool that copes with a server that hangs, and with one that allows fewer connections than it may have. */
import { Socket } from 'node:net';
import pg from 'pg';
import { hasCode } from '../lib/error-code.js';
import { PostgresClient } from './client.js';
import { StoreUnavailable } from './errors.js';

export interface ConnectionPool {
  /** What Prisma and the statements of `sql/` use. */
  pool: pg.Pool;
  /** Whether a connection is in use, being opened or waited for. */
  isBusy: () => boolean;
  /** All that the server ever sent. */
  bytesReceived: () => number;
  /** Cuts all connections and refuses new ones, so that everybody who uses or awaits one fails at once. */
  suspend: (reason: Error) => void;
  resume: () => void;
}

export interface PoolOptions {
  url: string;
  size: number;
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  /** Whether connections go through a pooler in transaction mode, which keeps no session settings or statements. */
  pooled: boolean;
  /** Closes a connection at this age, once it is idle. */
  maxLifetimeSeconds?: number;
  /** Plans each prepared statement once: for those that take longer to plan, since they read many partitions, than to run. */
  plansOnce?: boolean;
  /** Receives what an operator should know. */
  warn: (message: string) => void;
  /** Called when the server allows no more connections than there are. */
  onLimit: () => void;
}

const APPLICATION_NAME = 'agent-hosting-service';

export function openPool(options: PoolOptions): ConnectionPool {
  const { warn, onLimit } = options;
  const sockets = new Set<Socket>();
  let bytesOfClosed = 0;
  let outage: Error | undefined;
  const pool = new AdaptivePool(
    {
      ...settingsOf(options),
      stream: () => {
        const socket = outage ? new RefusedSocket(outage) : new Socket();
        sockets.add(socket);
        return socket.once('close', () => {
          sockets.delete(socket);
          bytesOfClosed += socket.bytesRead;
        });
      },
    },
    onLimit,
  );
  pool.on('error', ({ message }) => {
    if (!outage) warn(`A database connection was lost: ${message}`);
  });
  cutStalledConnections(pool, options.statementTimeoutMs);
  return {
    pool,
    isBusy: () => pool.totalCount > pool.idleCount || pool.waitingCount > 0,
    bytesReceived: () => {
      let bytes = bytesOfClosed;
      for (const { bytesRead } of sockets) bytes += bytesRead;
      return bytes;
    },
    suspend: (reason) => {
      outage = reason;
      for (const socket of sockets) socket.destroy(reason);
    },
    resume: () => {
      outage = undefined;
    },
  };
}

function settingsOf(options: PoolOptions): pg.PoolConfig {
  return {
    Client: PostgresClient,
    connectionString: options.url,
    application_name: APPLICATION_NAME,
    max: options.size,
    connectionTimeoutMillis: options.connectTimeoutMs,
    // A new one has to plan all statements once more: whoever comes in bursts should find it.
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: options.maxLifetimeSeconds,
    keepAlive: true,
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

const inspectionIntervalMs = 1_000;

/**
 * PostgreSQL ends a statement that takes too long. If nothing comes for longer than that, the connection itself is lost,
 * though nobody said so. Unlike `query_timeout` of pg, this never returns a connection to the pool whose statement still runs,
 * and looks at connections once a second: a time-out of the socket would have to be set and cleared at each use.
 */
function cutStalledConnections(pool: pg.Pool, statementTimeoutMs: number): void {
  const limitMs = statementTimeoutMs + 1_000;
  const inUse = new Map<pg.PoolClient, { bytesRead: number; since: number }>();
  let timer: NodeJS.Timeout | undefined;
  pool.on('acquire', (client) => {
    inUse.set(client, { bytesRead: -1, since: 0 });
    timer ??= setInterval(inspect, inspectionIntervalMs).unref();
  });
  pool.on('release', (_error, client) => inUse.delete(client));

  const inspect = () => {
    const now = performance.now();
    for (const [{ connection }, progress] of inUse) {
      const { stream } = connection;
      if (!(stream instanceof Socket)) continue;
      if (progress.bytesRead !== stream.bytesRead) {
        Object.assign(progress, { bytesRead: stream.bytesRead, since: now });
      } else if (now - progress.since > limitMs) {
        stream.destroy(new StoreUnavailable(`The database sent nothing for ${limitMs} ms.`));
      }
    }
    if (inUse.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Fails to connect, without asking anybody. */
class RefusedSocket extends Socket {
  readonly #reason: Error;

  constructor(reason: Error) {
    super();
    this.#reason = reason;
  }

  override connect(): this {
    process.nextTick(() => this.destroy(this.#reason));
    return this;
  }
}

type ConnectCallback = Parameters<pg.Pool['connect']>[0];

/** When a smaller pool tries again whether the server allows more connections. */
const regrowAfterMs = 30_000;

/** Becomes as large as the server allows, so that whoever gets no new connection waits for one that there is. */
class AdaptivePool extends pg.Pool {
  readonly #size: number;
  readonly #onLimit: () => void;
  #established = 0;

  constructor(config: pg.PoolConfig, onLimit: () => void) {
    super(config);
    this.#size = this.options.max;
    this.#onLimit = onLimit;
    this.on('connect', () => (this.#established += 1));
    this.on('remove', () => (this.#established -= 1));
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): unknown {
    if (!callback) {
      return new Promise((resolve, reject) => {
        this.connect((error, client) => {
          if (client) resolve(client);
          else reject(error ?? new Error('The pool returned no connection.'));
        });
      });
    }
    super.connect((error, client, release) => {
      const mayWait = hasCode(error, '53300') && this.#established > 0;
      if (!mayWait) {
        callback(error, client, release);
        return;
      }
      this.#shrink();
      super.connect(callback);
    });
    return undefined;
  }

  #shrink(): void {
    this.#onLimit();
    if (this.options.max === this.#size) {
      setTimeout(() => (this.options.max = this.#size), regrowAfterMs).unref();
    }
    this.options.max = this.#established;
  }
}
