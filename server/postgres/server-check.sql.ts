/**
 * Reads the server's settings (also used as a health check), and its connection limit.
 * Why SQL: Prisma does not read server settings or system views.
 */
import type pg from 'pg';
import type { ClockReading } from '../lib/time/clock.js';

export interface ServerSettings {
  /** Such as 180004 for 18.4. */
  version: number;
  /** The sessions' time zone. */
  zone: string;
  /** True on a standby, or if an operator has set it. */
  isReadOnly: boolean;
  /** Whether the server has Citus, which cannot plan a statement without its values. */
  hasCitus: boolean;
  clock: ClockReading;
}

export async function readServerSettings(connection: pg.ClientBase): Promise<ServerSettings> {
  const [sentAt, start] = [Date.now(), performance.now()];
  const { rows } = await connection.query<Omit<ServerSettings, 'clock'> & { time: number }>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('TimeZone') AS zone,
            current_setting('transaction_read_only')::bool AS "isReadOnly",
            current_setting('citus.shard_count', true) IS NOT NULL AS "hasCitus",
            (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS time`,
  );
  const halfWayMs = (performance.now() - start) / 2;
  const [
    { time, ...settings } = { version: 0, zone: '', isReadOnly: false, hasCitus: false, time: NaN },
  ] = rows;
  // One more millisecond, because Date.now() is whole.
  const clock = { offsetMs: time - (sentAt + halfWayMs), toleranceMs: halfWayMs + 1 };
  return { ...settings, clock };
}

/** Returns the number of connections that the user may open to the database if no others are open. */
export async function readConnectionLimit(connection: pg.ClientBase): Promise<number> {
  const { rows } = await connection.query<{ limit: number }>(
    `SELECT least(
              current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
                - coalesce(current_setting('reserved_connections', true)::int, 0),
              (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
              (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())) AS "limit"`,
  );
  return rows[0]?.limit ?? Infinity;
}

/** Returns the id of the PostgreSQL process that serves the connection. */
export async function readBackend(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}
