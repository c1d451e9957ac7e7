/** What the deletions of old rows have in common. */
import type { Queryable, Statement } from '../connection.js';

/**
 * Deletes old rows of agents that exist. $1 account, $2 the time or id before which rows are old, $3 limit. Row addresses (ctid) find the
 * rows again: without statistics, PostgreSQL may read all rows of the agent for each key. An address is unique only within its partition.
 */
export const deleteOld = (table: string, isOld: string) => `
  DELETE FROM ${table} WHERE account_id = $1 AND (tableoid, ctid) IN (
    SELECT tableoid, ctid FROM ${table}
     WHERE account_id = $1 AND agent_id = ANY (ARRAY(SELECT id FROM agents WHERE account_id = $1)) AND ${isOld} LIMIT $3)`;

/** Runs a statement that returns a count. */
export async function countOf(
  database: Queryable,
  statement: Statement,
  values: unknown[],
): Promise<number> {
  const [row] = await database.run<{ count: number }>(statement, values);
  return row?.count ?? 0;
}
