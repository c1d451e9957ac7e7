/**
 * Checks every second whether the database answers, on a connection of its own: slow statements and an exhausted pool do not look like
 * a failure. Its answers also tell the database's time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { withTimeLimit } from '../lib/async/time-limit.js';
import { PostgresClient } from '../lib/net/postgres-client.js';
import { followClock } from './clock-warning.js';
import { StoreUnavailable } from './errors.js';
import { readServerSettings, type ServerSettings } from './server-check.sql.js';

const intervalMs = 1_000;
/** How long a check waits, such as the one of `/readyz`. */
const timeoutMs = 3_000;

const reports = {
  writable: 'The database responds and accepts writes.',
  readOnly: 'The database is read-only. Reads are served; writes are refused.',
  silent: 'The database does not respond.',
};

class NoResponse extends StoreUnavailable {
  override name = 'NoResponse';
}

export class HealthCheck {
  readonly #pool: pg.Pool;
  readonly #warn: (message: string) => void;
  readonly #followClock: ReturnType<typeof followClock>;
  readonly #stopping = new AbortController();
  #state: keyof typeof reports = 'writable';
  #checking: Promise<void> | undefined;
  /** Shared by the checks of the same time, which have one connection. */
  #asking: Promise<ServerSettings> | undefined;

  constructor(settings: pg.PoolConfig, warn: (message: string) => void) {
    this.#pool = new pg.Pool({
      ...settings,
      Client: PostgresClient,
      max: 1,
      idleTimeoutMillis: 0,
      // Closes a connection that does not answer, after the check has failed.
      query_timeout: timeoutMs + 1_000,
    });
    // The next check opens another connection.
    this.#pool.on('error', () => undefined);
    this.#warn = warn;
    this.#followClock = followClock(warn);
  }

  /** The connection, for what must be known before the checks begin. */
  connect(): Promise<pg.PoolClient> {
    return this.#pool.connect();
  }

  async read(client: pg.PoolClient): Promise<ServerSettings> {
    const settings = await readServerSettings(client);
    this.#followClock(settings.clock);
    return settings;
  }

  start(): void {
    this.#checking = this.#checkUntilStopped();
  }

  /** Rejects if the database does not answer in time. */
  async check(): Promise<ServerSettings> {
    try {
      const noResponse = new NoResponse(`The database did not answer within ${timeoutMs} ms.`);
      this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
      const settings = await withTimeLimit(this.#asking, timeoutMs, noResponse);
      this.#become(settings.isReadOnly ? 'readOnly' : 'writable');
      return settings;
    } catch (error) {
      // Other errors say nothing new: where the database refuses connections, statements fail at once anyway.
      if (error instanceof NoResponse) this.#become('silent');
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#checking;
    await this.#pool.end();
  }

  async #ask(): Promise<ServerSettings> {
    const client = await this.#pool.connect();
    let isKept = false;
    try {
      const settings = await this.read(client);
      // After a failover, a new connection may lead to the new primary while this one leads to the old one.
      isKept = !settings.isReadOnly;
      return settings;
    } finally {
      client.release(!isKept);
    }
  }

  #become(state: keyof typeof reports): void {
    if (state !== this.#state) this.#warn(reports[state]);
    this.#state = state;
  }

  async #checkUntilStopped(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.check().catch(() => undefined);
      await delay(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
