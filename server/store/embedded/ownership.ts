/** Holds a cluster for one service: an advisory lock in PostgreSQL, which ends with the process however that ends. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { trySessionLock } from '../sql/advisory-lock.js';

export interface Ownership {
  /** For setting the cluster up; the lock lives as long as this connection. */
  client: pg.Client;
  release(): Promise<void>;
}

const LOCK_KEY = 7_216_944;
// The lock of a service that was killed a moment ago is still being cleared away.
const PATIENCE_MS = 1_000;
const POLL_MS = 50;

/** Returns undefined when another process keeps the lock. `onLost` is called if it ends without being released. */
export async function takeOwnership(
  url: string,
  onLost: () => void,
): Promise<Ownership | undefined> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `agent-hosting-service owner ${process.pid}`,
  });
  client.on('error', () => undefined);
  await client.connect();
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await trySessionLock(client, LOCK_KEY))) {
    if (Date.now() > deadline) {
      await client.end();
      return undefined;
    }
    await delay(POLL_MS);
  }
  client.on('end', onLost);
  return {
    client,
    release: async () => {
      client.off('end', onLost);
      await client.end();
    },
  };
}
