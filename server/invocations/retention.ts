/** How logs and invocations with their metrics expire. The usage counts always match the remaining rows. */
import { deleteByAccount, type History } from '../postgres/retention/retention.js';
import { lowestIdAt } from '../lib/data/typeid.js';
import { deleteOldLogEntries } from '../logs/delete-old.sql.js';
import { deleteEmptyRollups } from '../metrics/usage.js';
import { deleteOldInvocations, hasOldWaiting } from './delete-old.sql.js';

/** Keeps invocations that wait or run, however old they are. */
export const logsAndInvocations: History = {
  tables: ['log_entries', 'invocations', 'usage_rollups'],
  mustKeep: (connection, before) => hasOldWaiting(connection, lowestIdAt('req', before)),
  onDropped: ({ prisma }, before) =>
    prisma.usageDelta.deleteMany({ where: { bucketStart: { lt: before } } }),
  deleteRows: async (transaction, before, batch) => {
    const firstKept = lowestIdAt('req', before);
    const hasMore = await deleteByAccount(transaction, batch, async (accountId) => {
      const logs = await deleteOldLogEntries(transaction, accountId, before, batch);
      return logs + (await deleteOldInvocations(transaction, accountId, firstKept, batch));
    });
    if (!hasMore) await deleteEmptyRollups(transaction, before);
    return hasMore;
  },
};
