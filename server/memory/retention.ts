/** How memory expires. */
import type { History } from '../postgres/retention/retention.js';
import { lowestIdAt } from '../lib/data/typeid.js';
import { deleteOldEntries } from './delete.sql.js';

export const memory: History = {
  tables: ['memory_entries', 'memory_embeddings'],
  mustKeep: () => Promise.resolve(false),
  deleteRows: (transaction, before, batch) =>
    deleteOldEntries(transaction, lowestIdAt('mem', before), batch),
};
