/**
 * Deletes memory entries, with their embeddings, and what the vocabulary has from them.
 * Why SQL: reads the words from the tsvector of the deleted rows, which Prisma cannot do, and returns the rows.
 */
import type { Statement, Transaction } from '../postgres/connection.js';
import { isWord, wordsOf } from './learn-words.sql.js';

const deleteOld: Statement = {
  name: 'memory_delete_old',
  text: `
    DELETE FROM memory_entries AS entry
     USING (SELECT agent_id, id FROM memory_entries WHERE id < $1 ORDER BY id LIMIT $2) AS old
     WHERE entry.agent_id = old.agent_id AND entry.id = old.id
    RETURNING entry.agent_id, entry.id`,
};

/** Deletes up to `batch` entries with ids below `before`. Returns the number. Their words expire by themselves. */
export async function deleteOldEntries(
  transaction: Transaction,
  before: string,
  batch: number,
): Promise<number> {
  return deleteEntries(transaction, deleteOld, [before, batch]);
}

/** Words of deleted entries stay if one of the latest other entries has them. */
const comparedEntries = 1_000;

const deleteOfUser: Statement = {
  name: 'memory_delete_user',
  text: `
    WITH deleted AS (
      DELETE FROM memory_entries AS entry
       USING (SELECT id FROM memory_entries WHERE agent_id = $1 AND user_id = $2 AND epoch <= $3 LIMIT $4) AS chosen
       WHERE entry.agent_id = $1 AND entry.id = chosen.id
      RETURNING entry.agent_id, entry.id, entry.search
    ), latest AS (
      SELECT id, search FROM memory_entries WHERE agent_id = $1 ORDER BY id DESC LIMIT ${comparedEntries}
    ), forgotten AS (
      DELETE FROM memory_words
       WHERE agent_id = $1
         AND word IN (SELECT word FROM deleted CROSS JOIN ${wordsOf('search')} WHERE ${isWord})
         AND word NOT IN (SELECT word FROM latest CROSS JOIN ${wordsOf('search')}
                           WHERE id NOT IN (SELECT id FROM deleted) AND ${isWord})
    )
    SELECT agent_id, id FROM deleted`,
};

/**
 * Deletes up to `batch` entries of a user up to an epoch, with their words. Returns the number. A word that others said too, though
 * not of late, is learnt again when it is said again. The caller must hold the lock on words.
 */
export function deleteEntriesOfUser(
  transaction: Transaction,
  { memoryId, userId, epoch }: { memoryId: string; userId: string; epoch: number },
  batch: number,
): Promise<number> {
  return deleteEntries(transaction, deleteOfUser, [memoryId, userId, epoch, batch]);
}

const deleteEmbeddings: Statement = {
  name: 'memory_delete_embeddings',
  text: `
    DELETE FROM memory_embeddings AS embedding USING unnest($1::text[], $2::text[]) AS entry (agent_id, id)
     WHERE embedding.agent_id = entry.agent_id AND embedding.entry_id = entry.id`,
};

// The embeddings in a statement of their own: the first waits for others that are saved, and does not see them.
async function deleteEntries(
  transaction: Transaction,
  statement: Statement,
  values: (string | number)[],
): Promise<number> {
  const deleted = await transaction.run<{ agent_id: string; id: string }>(statement, values);
  const agentIds = deleted.map(({ agent_id }) => agent_id);
  const ids = deleted.map(({ id }) => id);
  if (ids.length > 0) await transaction.run(deleteEmbeddings, [agentIds, ids]);
  return ids.length;
}
