/** A PostgreSQL connection whose failure neither ends the process nor prevents it from stopping. */
import pg from 'pg';
import { connectTimeoutMs } from './database-url.js';

/** How long the server has to close the connection after the client has sent Terminate. */
const closeTimeoutMs = 1_000;

/** Used for every connection, in pools and on its own. */
export class PostgresClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config && likeLibpq(config));
    // A broken connection emits `error`, which ends the process if there is no listener. Pools and Prisma's adapter remove their
    // listeners at times, so this one is permanent. Users are notified by the failed query or by `end`.
    this.on('error', () => undefined);
  }

  /** Closes the socket after a time limit, because a hanging server never closes its side. */
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): unknown {
    const timer = setTimeout(() => this.connection.stream.destroy(), closeTimeoutMs).unref();
    this.once('end', () => {
      clearTimeout(timer);
    });
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }
}

/**
 * By default, the driver ignores `connect_timeout`, treats `sslmode=require` as verify-full, and refuses a server with a private
 * authority. The files in the URL are read for each connection, so they can be replaced while the service runs.
 */
function likeLibpq(config: pg.ClientConfig): pg.ClientConfig {
  const { connectionString: url } = config;
  if (url === undefined) return config;
  return {
    connectionTimeoutMillis: connectTimeoutMs(url),
    ...config,
    connectionString: `${url}${url.includes('?') ? '&' : '?'}uselibpqcompat=true`,
  };
}
