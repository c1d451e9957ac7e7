/**
 * Reads the server settings that this service depends on; also serves as a health check.
 * Why SQL: Prisma does not read server settings.
 */
import type pg from 'pg';

export interface ServerSettings {
  /** Such as 180004 for 18.4. */
  version: number;
  /** The sessions' time zone. */
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
