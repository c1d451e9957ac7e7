/** How events expire. */
import { deleteByAccount, type History } from '../../postgres/retention/retention.js';
import { lowestIdAt } from '../../lib/data/typeid.js';
import { deleteOldEvents, hasOldPending } from './delete-old.sql.js';

/** Keeps events with pending deliveries. */
export const events: History = {
  tables: ['events', 'deliveries'],
  mustKeep: (connection, before) => hasOldPending(connection, lowestIdAt('evt', before)),
  deleteRows: (transaction, before, batch) => {
    const firstKept = lowestIdAt('evt', before);
    return deleteByAccount(transaction, batch, (accountId) =>
      deleteOldEvents(transaction, accountId, firstKept, batch),
    );
  },
};
