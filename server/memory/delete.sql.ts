/**
 * Deletes memory entries with their embeddings: those that have expired, and those of a user.
 * Why SQL: Prisma cannot return deleted rows.
 */
import { lowestIdAt } from '../lib/data/typeid.js';
import type { Statement, Transaction } from '../postgres/connection.js';
import type { History } from '../postgres/retention/retention.js';
import type { Memory } from './scope.sql.js';

const findOldest: Statement = {
  name: 'memory_find_oldest',
  text: 'SELECT account_id AS "accountId" FROM memory_entries WHERE id < $1 ORDER BY id LIMIT 1',
};

const deleteOld: Statement = {
  name: 'memory_delete_old',
  text: `
    DELETE FROM memory_entries AS entry
     USING (SELECT agent_id, id FROM memory_entries WHERE account_id = $1 AND id < $2 ORDER BY id LIMIT $3) AS old
     WHERE entry.account_id = $1 AND entry.agent_id = old.agent_id AND entry.id = old.id
    RETURNING entry.agent_id, entry.id`,
};

export const memory: History = {
  tables: ['memory_entries', 'memory_embeddings'],
  mustKeep: () => Promise.resolve(false),
  /** Of the account with the oldest entry. */
  deleteRows: async (transaction, before, batch) => {
    const firstKept = lowestIdAt('mem', before);
    const [oldest] = await transaction.run<{ accountId: string }>(findOldest, [firstKept]);
    if (!oldest) return false;
    const { accountId } = oldest;
    return (await deleteEntries(transaction, accountId, deleteOld, [firstKept, batch])) > 0;
  },
};

const deleteOfUser: Statement = {
  name: 'memory_delete_user',
  text: `
    DELETE FROM memory_entries AS entry
     USING (SELECT id FROM memory_entries WHERE account_id = $1 AND agent_id = $2 AND user_id = $3 LIMIT $4) AS chosen
     WHERE entry.account_id = $1 AND entry.agent_id = $2 AND entry.id = chosen.id
    RETURNING entry.agent_id, entry.id`,
};

/** Deletes up to `batch` entries of a user. Returns the number deleted. */
export function deleteUserEntries(
  transaction: Transaction,
  { accountId, memoryId }: Memory,
  userId: string,
  batch: number,
): Promise<number> {
  return deleteEntries(transaction, accountId, deleteOfUser, [memoryId, userId, batch]);
}

const deleteEmbeddings: Statement = {
  name: 'memory_delete_embeddings',
  text: `
    DELETE FROM memory_embeddings AS embedding USING unnest($2::text[], $3::text[]) AS entry (agent_id, id)
     WHERE embedding.account_id = $1 AND embedding.agent_id = entry.agent_id AND embedding.entry_id = entry.id`,
};

// Embeddings need a second statement: the first may wait for a transaction that saves embeddings, and would not see them.
async function deleteEntries(
  transaction: Transaction,
  accountId: string,
  statement: Statement,
  values: (string | number)[],
): Promise<number> {
  const deleted = await transaction.run<{ agent_id: string; id: string }>(statement, [
    accountId,
    ...values,
  ]);
  const agentIds = deleted.map(({ agent_id }) => agent_id);
  const ids = deleted.map(({ id }) => id);
  if (ids.length > 0) await transaction.run(deleteEmbeddings, [accountId, agentIds, ids]);
  return ids.length;
}
