/** The running services and workers: each has a row with a heartbeat, which the operator's commands read. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Instance, InstanceRole } from '../../../generated/prisma/client.js';
import { serviceVersion } from '../../contract/project-files.js';
import { withTimeLimit } from '../../lib/async/time-limit.js';
import type { Connection } from '../postgres/connection.js';
import { beatInstance, deleteGoneInstances, deleteInstance } from './instances.sql.js';

export interface InstanceTraits {
  role: InstanceRole;
  /** The keys that it has, the one in SECRETS_KEY first. */
  secretsKeyIds: readonly string[];
  /** The model providers that it has; empty for a worker, which runs no models. */
  providers: readonly string[];
  allowsPrivateTargets: boolean;
  /** The names of the variables that manifests may refer to; empty for a worker, which reads no manifests. */
  variables: readonly string[];
}

export interface Registration {
  /** Deletes the row. Never rejects: without the heartbeat the row expires. */
  end: () => Promise<void>;
}

const beatEveryMs = 5_000;
/** Three missed heartbeats. */
const goneAfterMs = 15_000;
/** How long a database that does not answer may delay the end of the process. */
const endTimeoutMs = 1_000;

export async function registerInstance(
  connection: Connection,
  traits: InstanceTraits,
): Promise<Registration> {
  const id = randomUUID();
  const identity = { id, host: hostname(), pid: process.pid, version: serviceVersion };
  const beat = () => beatInstance(connection, { ...identity, ...traits });
  await Promise.all([deleteGoneInstances(connection, goneAfterMs), beat()]);
  const timer = setInterval(() => {
    // The next one repeats it.
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

/** Those whose heartbeat is recent, by the database's clock. */
export async function readRunningInstances(connection: Connection): Promise<Instance[]> {
  await deleteGoneInstances(connection, goneAfterMs);
  return connection.prisma.instance.findMany({ orderBy: { startedAt: 'asc' } });
}
