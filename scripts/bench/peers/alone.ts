/** What one caller at a time sees, and what each server has PostgreSQL do for it, so that it is clear what is compared. */
import { setTimeout as delay } from 'node:timers/promises';
import { runLoad } from '../lib/loader.js';
import { type Activity, activityOf, reportDelayMs } from './database.js';
import type { Kind } from './server.js';
import type { Started } from './start.js';

export interface Alone {
  /** The median, in milliseconds. */
  latency: number;
  /** For each invocation. */
  activity: Activity;
}

const requests = 200;

/** In the order of the servers. */
export async function measureAlone(started: readonly Started[], kind: Kind): Promise<Alone[]> {
  const before = await readActivity(started);
  const latencies: number[] = [];
  for (const { server, url } of started) {
    const load = await server.load(url, kind);
    const bounds = { connections: 1, maxRequests: requests, milliseconds: 30_000 };
    const { p50 } = await runLoad({ ...load, ...bounds });
    latencies.push(p50);
  }
  await delay(reportDelayMs);
  const after = await readActivity(started);
  return started.map((_, index) => ({
    latency: latencies[index] ?? NaN,
    activity: perRequest(before[index], after[index]),
  }));
}

function readActivity(started: readonly Started[]): Promise<Activity[]> {
  return Promise.all(started.map(({ server, cluster }) => activityOf(cluster, server.databaseUrl)));
}

function perRequest(before: Activity | undefined, after: Activity | undefined): Activity {
  const of = (name: keyof Activity) =>
    ((after?.[name] ?? NaN) - (before?.[name] ?? NaN)) / requests;
  return { transactions: of('transactions'), rows: of('rows'), walBytes: of('walBytes') };
}
