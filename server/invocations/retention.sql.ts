/**
 * How logs and invocations with their metrics expire. The usage counts always match the remaining rows.
 * Why SQL: one statement deletes and counts.
 */
import { lowestIdAt } from '../lib/data/typeid.js';
import { deleteOldLogEntries } from '../logs/logs.js';
import { subtractUsage, deleteEmptyRollups } from '../metrics/usage.js';
import type { Queryable, Statement } from '../postgres/connection.js';
import { countOf, deleteOld } from '../postgres/retention/delete-old.sql.js';
import { deleteByAccount, type History } from '../postgres/retention/retention.js';

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

const deleteInvocations: Statement = {
  name: 'invocations_delete_old',
  text: `
    WITH deleted AS (
      ${deleteOld('invocations', `id < $2 AND status IN ('succeeded', 'failed')`)}
      RETURNING id, agent_id, created_at, duration_ms, tokens_used, status
    ), counted AS (
      ${subtractUsage(
        '$1',
        `SELECT id, agent_id, created_at AS at, duration_ms AS duration, tokens_used AS tokens, status = 'failed' AS failed,
                NULL::log_level AS level FROM deleted`,
      )}
    )
    SELECT count(*)::int AS count FROM deleted`,
};

/** Deletes up to `batch` finished invocations of an account with ids below `before`. Returns the number deleted. */
export const deleteOldInvocations = (
  database: Queryable,
  accountId: string,
  before: string,
  batch: number,
) => countOf(database, deleteInvocations, [accountId, before, batch]);

// The states are literals, because the queue's partial index requires it: the query runs while the table is locked.
const waiting: Statement = {
  name: 'invocations_waiting_old',
  text: `SELECT count(*)::int AS count FROM (SELECT 1 FROM invocations WHERE id < $1 AND status IN ('queued', 'running') LIMIT 1) AS old`,
};

/** Whether an invocation with an id below `before` waits or runs. */
export async function hasOldWaiting(database: Queryable, before: string): Promise<boolean> {
  return (await countOf(database, waiting, [before])) > 0;
}
