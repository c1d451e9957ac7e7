/**
 * Reads the server's settings (also used as a health check), its connection limit, and the user's rights.
 * Why SQL: Prisma does not read server settings or system views.
 */
import pg from 'pg';
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

/** The rights of the connection's user, and the extensions that migrations need. */
export interface Rights {
  user: string;
  database: string;
  /** Whether the schema public exists, which contains the tables. */
  hasSchema: boolean;
  mayCreateTables: boolean;
  mayCreateExtensions: boolean;
  /** Extensions that migrations create and that the database does not have yet. */
  missingExtensions: string[];
  /** Missing extensions that the server does not offer. */
  unavailableExtensions: string[];
}

const extensions = ['pg_trgm', 'btree_gin'];

export async function readRights(client: pg.Client): Promise<Rights | undefined> {
  const { rows } = await client.query<Rights>(
    `SELECT current_user AS "user", current_database() AS "database",
            to_regnamespace('public') IS NOT NULL AS "hasSchema",
            coalesce(has_schema_privilege(to_regnamespace('public')::oid, 'CREATE'), false) AS "mayCreateTables",
            has_database_privilege(current_database(), 'CREATE') AS "mayCreateExtensions",
            ARRAY(SELECT unnest($1::text[]) EXCEPT SELECT extname::text FROM pg_extension) AS "missingExtensions",
            ARRAY(SELECT unnest($1::text[]) EXCEPT SELECT extname::text FROM pg_extension
                  EXCEPT SELECT name::text FROM pg_available_extensions) AS "unavailableExtensions"`,
    [extensions],
  );
  return rows[0];
}

/** Returns the statements that an administrator must run in the database so that the user may migrate it. */
export function missingGrants(rights: Rights): string[] {
  const { user, hasSchema, mayCreateTables, mayCreateExtensions, missingExtensions } = rights;
  const role = pg.escapeIdentifier(user);
  return [
    ...(hasSchema ? [] : [`CREATE SCHEMA public AUTHORIZATION ${role};`]),
    ...(mayCreateExtensions ? [] : missingExtensions).map(
      (name) => `CREATE EXTENSION ${name} SCHEMA public;`,
    ),
    ...(hasSchema && !mayCreateTables ? [`GRANT USAGE, CREATE ON SCHEMA public TO ${role};`] : []),
  ];
}
