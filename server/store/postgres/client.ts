/** A connection to PostgreSQL that cannot end the process or keep it from stopping, whatever happens to it. */
import pg from 'pg';

/** How long a server has to close the connection after it was told goodbye. */
const goodbyeMs = 1_000;

/** For every connection of the server, in pools and by itself. */
export class PostgresClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    // A broken connection is an `error` event, and one that nobody listens to ends the process. Pools and Prisma's adapter
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
