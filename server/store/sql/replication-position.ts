/**
 * Reads how far the log of a server has come, and which server it is.
 * Why SQL: functions of the write-ahead log, of which Prisma knows nothing.
 */
import type { Queryable, Statement } from '../connection.js';

// What was acknowledged is flushed, unless the server is set to acknowledge earlier.
const position: Statement = {
  name: 'replication_position',
  text: `
    SELECT ((CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
                  WHEN current_setting('synchronous_commit') = 'off' THEN pg_current_wal_insert_lsn()
                  ELSE pg_current_wal_flush_lsn() END) - '0/0'::pg_lsn)::float8 AS position`,
};

/** What the primary has acknowledged, or a replica has replayed, as a number of bytes. */
export async function readPosition(server: Queryable): Promise<number> {
  const [row] = await server.run<{ position: number | null }>(position, []);
  return row?.position ?? -1;
}

export interface ServerIdentity {
  isReplica: boolean;
  /** The same for a primary and its replicas. */
  system: string;
  database: string;
}

const identity: Statement = {
  name: 'replication_identity',
  text: `
    SELECT pg_is_in_recovery() AS "isReplica", system_identifier::text AS system, current_database()::text AS database
      FROM pg_control_system()`,
};

export async function readIdentity(server: Queryable): Promise<ServerIdentity> {
  const [row] = await server.run<ServerIdentity>(identity, []);
  return row ?? { isReplica: false, system: '', database: '' };
}
