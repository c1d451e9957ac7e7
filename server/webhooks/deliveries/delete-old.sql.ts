/**
 * Deletes old events with their deliveries.
 * Why SQL: one statement deletes from both tables.
 */
import type { Queryable, Statement } from '../../postgres/connection.js';
import { countOf } from '../../postgres/retention/delete-old.sql.js';

const deleteEvents: Statement = {
  name: 'events_delete_old',
  text: `
    WITH old AS MATERIALIZED (
      SELECT id FROM events e
       WHERE account_id = $1 AND id < $2
         AND NOT EXISTS (SELECT FROM deliveries d WHERE d.account_id = $1 AND d.event_id = e.id AND d.status = 'pending')
       ORDER BY id LIMIT $3
    ), delivered AS (
      DELETE FROM deliveries AS entry USING old WHERE entry.account_id = $1 AND entry.event_id = old.id
    ), deleted AS (
      DELETE FROM events AS entry USING old WHERE entry.account_id = $1 AND entry.id = old.id RETURNING 1
    )
    SELECT count(*)::int AS count FROM deleted`,
};

/** Deletes up to `batch` events of an account with ids below `before` that have no pending deliveries. Returns the number deleted. */
export const deleteOldEvents = (
  database: Queryable,
  accountId: string,
  before: string,
  batch: number,
) => countOf(database, deleteEvents, [accountId, before, batch]);

// The state is a literal, because the queue's partial index requires it: the query runs while the table is locked.
const pending: Statement = {
  name: 'deliveries_pending_old',
  text: `SELECT count(*)::int AS count FROM (SELECT 1 FROM deliveries WHERE event_id < $1 AND status = 'pending' LIMIT 1) AS old`,
};

/** Whether an event with an id below `before` has a pending delivery. */
export async function hasOldPending(database: Queryable, before: string): Promise<boolean> {
  return (await countOf(database, pending, [before])) > 0;
}
