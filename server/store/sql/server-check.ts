/**
 * Asks the server for the settings that this service depends on, which also shows that it answers.
 * Why SQL: Prisma does not read settings of the server.
 */
import type pg from 'pg';

export interface ServerSettings {
  /** Such as 180004 for 18.4. */
  version: number;
  /** The time zone of sessions. */
  zone: string;
}

export async function readServerSettings(
  connection: pg.Pool | pg.ClientBase,
): Promise<ServerSettings> {
  const { rows } = await connection.query<ServerSettings>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('TimeZone') AS zone`,
  );
  return rows[0] ?? { version: 0, zone: '' };
}
