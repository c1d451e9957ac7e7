/** How events expire, with their deliveries. Events with pending deliveries are kept. */
import { lowestIdAt } from '../../lib/data/typeid.js';
import type { Statement } from '../../postgres/connection.js';
import { countOf } from '../../postgres/retention/delete-old.sql.js';
import { deleteByAccount, type History } from '../../postgres/retention/retention.js';

// SQL because the state must be a literal, which the queue's partial index requires: the query runs while the table is locked.
const pending: Statement = {
  name: 'deliveries_pending_old',
  text: `SELECT count(*)::int AS count FROM (SELECT 1 FROM deliveries WHERE event_id < $1 AND status = 'pending' LIMIT 1) AS old`,
};

// SQL because one statement deletes from both tables. $1 account, $2 the first event that is kept, $3 the maximum number of events.
const deleteOld: Statement = {
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

export const events: History = {
  tables: ['events', 'deliveries'],
  mustKeep: async (connection, before) =>
    (await countOf(connection, pending, [lowestIdAt('evt', before)])) > 0,
  deleteRows: (transaction, before, batch) => {
    const firstKept = lowestIdAt('evt', before);
    return deleteByAccount(transaction, batch, (accountId) =>
      countOf(transaction, deleteOld, [accountId, firstKept, batch]),
    );
  },
};
