/** What each server has PostgreSQL do for an invocation, so that the comparison says what is compared. */
import { setTimeout as delay } from 'node:timers/promises';
import { runLoad } from '../lib/loader.js';
import { type Activity, activityOf, reportDelayMs } from './database.js';
import type { Kind } from './server.js';
import type { Started } from './start.js';

const maxRequests = 500;

/** For each invocation of a kind, in the order of the servers. */
export async function measureWrites(started: readonly Started[], kind: Kind): Promise<Activity[]> {
  const read = () =>
    Promise.all(started.map(({ server, cluster }) => activityOf(cluster, server.databaseUrl)));
  const before = await read();
  for (const { server, url } of started) {
    await runLoad({ ...(await server.load(url, kind)), maxRequests, milliseconds: 30_000 });
  }
  await delay(reportDelayMs);
  const after = await read();
  return after.map((now, index) => difference(now, before[index]));
}

function difference(after: Activity, before: Activity | undefined): Activity {
  const perRequest = (name: keyof Activity) =>
    (after[name] - (before?.[name] ?? NaN)) / maxRequests;
  return {
    transactions: perRequest('transactions'),
    rows: perRequest('rows'),
    walBytes: perRequest('walBytes'),
  };
}
