/** Running instances that the pending migrations of this release may break: it is compatible with the previous release only. */
import type pg from 'pg';
import { readRunning, type RunningInstance } from '../instances.sql.js';
import { previousRelease } from './migrations.js';

export async function findOldInstances(client: pg.ClientBase): Promise<RunningInstance[]> {
  const [{ version: oldest }, running] = await Promise.all([
    previousRelease(),
    readRunning(client),
  ]);
  return running.filter(({ version }) => isEarlier(version, oldest));
}

export function describeInstances(instances: readonly RunningInstance[]): string {
  return instances
    .map(({ role, version, host, pid }) => `${role} ${version} on ${host} (process ${pid})`)
    .join(', ');
}

function isEarlier(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) < 0;
}
