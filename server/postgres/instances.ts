/**
 * The running services and workers: each has a row with a heartbeat, which the operator's commands read.
 * Why SQL: heartbeats use the database's clock, which Prisma cannot write or compare with.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type pg from 'pg';
import type { Instance, InstanceRole } from '../../generated/prisma/client.js';
import { serviceVersion } from '../contract/project-files.js';
import { withTimeLimit } from '../lib/async/time-limit.js';
import { hasCode } from '../lib/errors/error-code.js';
import type { Connection, Statement } from './connection.js';

export interface InstanceTraits {
  role: InstanceRole;
  /** The ids of the configured keys, that of SECRETS_KEY first. */
  secretsKeyIds: readonly string[];
  /** The configured model providers; empty for a worker, which runs no models. */
  providers: readonly string[];
  allowsPrivateTargets: boolean;
  /** The names of the environment variables that manifests may refer to; empty for a worker, which reads no manifests. */
  variables: readonly string[];
}

export interface Registration {
  /** Deletes the row. Never rejects: without the heartbeat the row expires. */
  end: () => Promise<void>;
}

const beatEveryMs = 5_000;
/** Three missed heartbeats. */
const goneAfterMs = 15_000;
/** How long an unresponsive database may delay the exit of the process. */
const endTimeoutMs = 1_000;

export async function registerInstance(
  connection: Connection,
  traits: InstanceTraits,
): Promise<Registration> {
  const id = randomUUID();
  const identity = { id, host: hostname(), pid: process.pid, version: serviceVersion };
  const beat = () => writeHeartbeat(connection, { ...identity, ...traits });
  await Promise.all([deleteGoneInstances(connection), beat()]);
  const timer = setInterval(() => {
    // Failures are ignored: the next heartbeat writes the row again.
    beat().catch(() => undefined);
  }, beatEveryMs).unref();
  return {
    end: async () => {
      clearInterval(timer);
      const late = new Error('The database did not answer in time.');
      await withTimeLimit(deleteInstance(connection, id), endTimeoutMs, late).catch(
        () => undefined,
      );
    },
  };
}

/** Returns the instances with a recent heartbeat, by the database's clock. */
export async function readRunningInstances(connection: Connection): Promise<Instance[]> {
  await deleteGoneInstances(connection);
  return connection.prisma.instance.findMany({ orderBy: { startedAt: 'asc' } });
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

interface InstanceRow extends InstanceTraits {
  id: string;
  host: string;
  pid: number;
  version: string;
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
async function writeHeartbeat(connection: Connection, row: InstanceRow): Promise<void> {
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

async function deleteInstance(connection: Connection, id: string): Promise<void> {
  await connection.run(deleteOne, [id]);
}

const deleteGone: Statement = {
  name: 'instances_delete_gone',
  text: `DELETE FROM instances WHERE heartbeat_at < now() - $1 * interval '1 ms'`,
};

async function deleteGoneInstances(connection: Connection): Promise<void> {
  await connection.run(deleteGone, [goneAfterMs]);
}
