/** Reserves a cluster for one service with an advisory lock, which PostgreSQL releases however the process ends. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { trySessionLock } from '../postgres/advisory-lock.sql.js';

export interface Ownership {
  /** Holds the lock, and is also used to set up the cluster. */
  client: pg.Client;
  release(): Promise<void>;
}

const LOCK_KEY = 7_216_944;
// PostgreSQL may take a moment to release the lock of a service that was just killed.
const LOCK_TIMEOUT_MS = 1_000;
const POLL_MS = 50;

/**
 * Takes over the client: release() closes it. If another process holds the lock, closes it at once and returns undefined.
 * Calls `onLost` if the connection ends without release().
 */
export async function takeOwnership(
  client: pg.Client,
  onLost: () => void,
): Promise<Ownership | undefined> {
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
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
