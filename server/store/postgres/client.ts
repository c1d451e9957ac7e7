/** A connection to PostgreSQL that cannot end the process or keep it from stopping, whatever happens to it. */
import pg from 'pg';

/** How long a server has to close the connection after it was told goodbye. */
const goodbyeMs = 1_000;

/** For every connection of the server, in pools and by itself. */
export class PostgresClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config && withLibpqModes(config));
    // A broken connection is an `error` event, and one without a listener ends the process. Pools and Prisma's adapter
    // take their listeners off at times, so this one stays for life. Users learn of it from the query, or from `end`.
    this.on('error', () => undefined);
  }

  /** A server that hangs never closes its side. */
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): unknown {
    const timer = setTimeout(() => this.connection.stream.destroy(), goodbyeMs).unref();
    this.once('end', () => {
      clearTimeout(timer);
    });
    if (!callback) return super.end();
    super.end(callback);
    return undefined;
  }
}

/**
 * By itself the driver takes `sslmode=require` for verify-full, so that a server with a private authority is refused. Files that
 * the URL names are read for each connection, and may be replaced while the service runs.
 */
function withLibpqModes(config: pg.ClientConfig): pg.ClientConfig {
  const { connectionString: url } = config;
  if (url === undefined) return config;
  return {
    ...config,
    connectionString: `${url}${url.includes('?') ? '&' : '?'}uselibpqcompat=true`,
  };
}
