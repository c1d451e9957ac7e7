/**
 * Deletes memory entries with their embeddings, and removes their words from the vocabulary.
 * Why SQL: Prisma can neither read words from a tsvector nor return deleted rows.
 */
import type { Statement, Transaction } from '../postgres/connection.js';
import { isWord, wordsOf } from './learn-words.sql.js';

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

/**
 * Deletes up to `batch` entries with ids below `before`, of the account with the oldest entry. Returns whether there were any. Their
 * words expire separately.
 */
export async function deleteOldEntries(
  transaction: Transaction,
  before: string,
  batch: number,
): Promise<boolean> {
  const [oldest] = await transaction.run<{ accountId: string }>(findOldest, [before]);
  if (!oldest) return false;
  const { accountId } = oldest;
  return (await deleteEntries(transaction, accountId, deleteOld, [before, batch])) > 0;
}

/** A word of a deleted entry stays if one of this many latest entries contains it. */
const comparedEntries = 1_000;

const deleteOfUser: Statement = {
  name: 'memory_delete_user',
  text: `
    WITH deleted AS (
      DELETE FROM memory_entries AS entry
       USING (SELECT id FROM memory_entries
               WHERE account_id = $1 AND agent_id = $2 AND user_id = $3 AND epoch <= $4 LIMIT $5) AS chosen
       WHERE entry.account_id = $1 AND entry.agent_id = $2 AND entry.id = chosen.id
      RETURNING entry.agent_id, entry.id, entry.search
    ), latest AS (
      SELECT id, search FROM memory_entries WHERE account_id = $1 AND agent_id = $2
       ORDER BY id DESC LIMIT ${comparedEntries}
    ), forgotten AS (
      DELETE FROM memory_words
       WHERE account_id = $1 AND agent_id = $2
         AND word IN (SELECT word FROM deleted CROSS JOIN ${wordsOf('search')} WHERE ${isWord})
         AND word NOT IN (SELECT word FROM latest CROSS JOIN ${wordsOf('search')}
                           WHERE id NOT IN (SELECT id FROM deleted) AND ${isWord})
    )
    SELECT agent_id, id FROM deleted`,
};

/**
 * Deletes up to `batch` entries of a user up to an epoch, with their words. Returns the number deleted. A deleted word that older
 * entries of other users contain is learnt again when it is next used. The caller must hold the vocabulary lock.
 */
export function deleteEntriesOfUser(
  transaction: Transaction,
  {
    accountId,
    memoryId,
    userId,
    epoch,
  }: { accountId: string; memoryId: string; userId: string; epoch: number },
  batch: number,
): Promise<number> {
  return deleteEntries(transaction, accountId, deleteOfUser, [memoryId, userId, epoch, batch]);
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
