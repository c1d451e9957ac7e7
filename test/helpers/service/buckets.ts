/** Rate-limit buckets that do not refill. */
import { expect } from '@jest/globals';
import type { OpenDatabase } from '../database/database.js';

/** Sets the tokens of an account's or agent's bucket, and its clock ahead, so that it does not refill during a test. */
export async function freezeBucket(
  { pool }: OpenDatabase,
  ownerId: string,
  tokens: number,
): Promise<void> {
  const { rowCount } = await pool.query(
    `UPDATE rate_buckets SET tokens = $2, updated_at = extract(epoch FROM now()) + 3600
      WHERE agent_id = $1 OR (account_id = $1 AND agent_id = '')`,
    [ownerId, tokens],
  );
  expect(rowCount).toBe(1);
}
