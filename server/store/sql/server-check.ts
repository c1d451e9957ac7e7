/**
 * Reads the server settings that this service depends on, which also serves as a health check, and the server's sessions.
 * Why SQL: Prisma does not read server settings or system views.
 */
import type pg from 'pg';
import type { Connection, Statement } from '../connection.js';

export interface ServerSettings {
  /** Such as 180004 for 18.4. */
  version: number;
  /** The sessions' time zone. */
  zone: string;
  /** On a standby, and where an operator has set it. */
  isReadOnly: boolean;
}

export async function readServerSettings(
  connection: pg.Pool | pg.ClientBase,
): Promise<ServerSettings> {
  const { rows } = await connection.query<ServerSettings>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('TimeZone') AS zone,
            current_setting('transaction_read_only')::bool AS "isReadOnly"`,
  );
  return rows[0] ?? { version: 0, zone: '', isReadOnly: false };
}

const sessionNames: Statement = {
  name: 'session_names',
  text: `
    SELECT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND starts_with(application_name, $1)`,
};

/** The application names, with this beginning, of the sessions on the database. */
export async function readSessionNames(connection: Connection, prefix: string): Promise<string[]> {
  const sessions = await connection.run<{ name: string }>(sessionNames, [prefix]);
  return sessions.map(({ name }) => name);
}
