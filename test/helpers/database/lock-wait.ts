/** Waits until a session of the test's own database waits for a lock. */
import { expect } from '@jest/globals';
import type pg from 'pg';
import { eventually } from '../eventually.js';

/** Returns its process id. `text` restricts the statements. Must not run in a transaction, where the view is frozen. */
export function waitForLockWaiter(pool: pg.Pool, text = ''): Promise<number | undefined> {
  return eventually(async () => {
    const { rows } = await pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND strpos(query, $1) > 0 AND pid <> pg_backend_pid()`,
      [text],
    );
    expect(rows).not.toEqual([]);
    return rows[0]?.pid;
  });
}
