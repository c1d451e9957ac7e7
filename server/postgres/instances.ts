/** The running services and workers: each has a row with a heartbeat, which the operator's commands read. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Instance, InstanceRole } from '../../generated/prisma/client.js';
import { serviceVersion } from '../contract/project-files.js';
import { withTimeLimit } from '../lib/async/time-limit.js';
import type { Connection } from './connection.js';
import {
  deleteGoneInstances,
  deleteInstance,
  goneAfterMs,
  writeHeartbeat,
} from './instances.sql.js';

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
/** How long an unresponsive database may delay the exit of the process. */
const endTimeoutMs = 1_000;

export async function registerInstance(
  connection: Connection,
  traits: InstanceTraits,
): Promise<Registration> {
  const id = randomUUID();
  const identity = { id, host: hostname(), pid: process.pid, version: serviceVersion };
  const beat = () => writeHeartbeat(connection, { ...identity, ...traits });
  await Promise.all([deleteGoneInstances(connection, goneAfterMs), beat()]);
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
  await deleteGoneInstances(connection, goneAfterMs);
  return connection.prisma.instance.findMany({ orderBy: { startedAt: 'asc' } });
}
