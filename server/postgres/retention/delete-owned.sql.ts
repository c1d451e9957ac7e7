/**
 * Deletes rows of a deleted agent or webhook.
 * Why SQL: Prisma deletes by key. Without statistics, PostgreSQL may then read all rows of the agent for each key. Deleting by row
 * address (ctid) avoids that.
 */
import type { Queryable, Statement } from '../connection.js';

const ownerColumns = {
  usage_deltas: 'agent_id',
  deliveries: 'webhook_id',
  // Only of 0.1.0: goes with the next release.
  memory_words: 'agent_id',
  usage_rollups: 'agent_id',
  invocations: 'agent_id',
  log_entries: 'agent_id',
  memory_entries: 'agent_id',
  memory_embeddings: 'agent_id',
  stream_events: 'agent_id',
};

type OwnedTable = keyof typeof ownerColumns;

// A row address is unique only within its partition.
const deleteFrom = (table: OwnedTable): Statement => ({
  name: `${table}_delete_owned`,
  text: `
    WITH deleted AS (
      DELETE FROM ${table} WHERE account_id = $1 AND (tableoid, ctid) IN (
        SELECT tableoid, ctid FROM ${table} WHERE account_id = $1 AND ${ownerColumns[table]} = $2 LIMIT $3
      ) RETURNING 1
    )
    SELECT count(*)::int AS count FROM deleted`,
});

/** Deletes up to `limit` rows. Returns the number deleted. */
export async function deleteOwned(
  database: Queryable,
  table: OwnedTable,
  { accountId, ownerId }: { accountId: string; ownerId: string },
  limit: number,
): Promise<number> {
  const values = [accountId, ownerId, limit];
  const [deleted] = await database.run<{ count: number }>(deleteFrom(table), values);
  return deleted?.count ?? 0;
}
