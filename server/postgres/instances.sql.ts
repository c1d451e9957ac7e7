/**
 * Writes the row of a running instance with its heartbeat, and deletes rows of instances that have died.
 * Why SQL: heartbeats use the database's clock, which Prisma cannot write or compare with.
 */
import type pg from 'pg';
import type { InstanceRole } from '../../generated/prisma/enums.js';
import { hasCode } from '../lib/errors/error-code.js';
import type { Connection, Statement } from './connection.js';

/** Three missed heartbeats. */
export const goneAfterMs = 15_000;

interface InstanceRow {
  id: string;
  role: InstanceRole;
  host: string;
  pid: number;
  version: string;
  secretsKeyIds: readonly string[];
  providers: readonly string[];
  allowsPrivateTargets: boolean;
  variables: readonly string[];
}

const heartbeat: Statement = {
  name: 'instance_heartbeat',
  text: `
    INSERT INTO instances (
      id, role, host, pid, version, secrets_key_ids, providers, allows_private_targets, variables)
    VALUES ($1, $2::instance_role, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at`,
};

/** Inserts the row again if a crash of the database lost it, or if it was deleted while the instance was paused. */
export async function writeHeartbeat(connection: Connection, row: InstanceRow): Promise<void> {
  await connection.run(heartbeat, [
    row.id,
    row.role,
    row.host,
    row.pid,
    row.version,
    row.secretsKeyIds,
    row.providers,
    row.allowsPrivateTargets,
    row.variables,
  ]);
}

const deleteOne: Statement = {
  name: 'instance_delete',
  text: 'DELETE FROM instances WHERE id = $1',
};

export async function deleteInstance(connection: Connection, id: string): Promise<void> {
  await connection.run(deleteOne, [id]);
}

const deleteGone: Statement = {
  name: 'instances_delete_gone',
  text: `DELETE FROM instances WHERE heartbeat_at < now() - $1 * interval '1 ms'`,
};

export async function deleteGoneInstances(connection: Connection, silentMs: number): Promise<void> {
  await connection.run(deleteGone, [silentMs]);
}

export type RunningInstance = Pick<InstanceRow, 'role' | 'host' | 'pid' | 'version'>;

/** For a migration, before which other columns may be missing. Empty if there is no table yet. */
export async function readRunning(client: pg.ClientBase): Promise<RunningInstance[]> {
  try {
    const { rows } = await client.query<RunningInstance>(
      `SELECT role::text AS role, host, pid, version FROM instances
        WHERE heartbeat_at >= now() - $1 * interval '1 ms' ORDER BY started_at`,
      [goneAfterMs],
    );
    return rows;
  } catch (error) {
    const tableIsMissing = hasCode(error, '42P01');
    if (tableIsMissing) return [];
    throw error;
  }
}
