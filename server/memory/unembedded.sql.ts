/**
 * Finds memory entries that a model has not embedded yet, and stores their embeddings.
 * Why SQL: embedding needs only the beginning of a text, while Prisma reads all of it, which may be megabytes; and it has no row locks.
 */
import { groupBy } from '../lib/data/group-by.js';
import type { Queryable, Statement } from '../postgres/connection.js';
import type { Progress } from './embedding-progress.sql.js';
import { signatureOf } from './rank-embeddings.sql.js';

const unembedded: Statement = {
  name: 'memory_unembedded',
  text: `
    SELECT entry.account_id AS "accountId", entry.id, entry.agent_id AS "memoryId", left(entry.content, 8000) AS text
      FROM memory_entries AS entry
      LEFT JOIN memory_embeddings AS known
        ON known.account_id = entry.account_id AND known.agent_id = entry.agent_id AND known.entry_id = entry.id AND known.model = $1
     WHERE entry.id > $2 AND known.entry_id IS NULL AND entry.content ~ '\\S'
       AND NOT EXISTS (SELECT FROM purges WHERE "table" = 'memory_entries' AND owner_id = entry.agent_id)
     ORDER BY entry.id LIMIT $3`,
};

export interface UnembeddedEntry {
  accountId: string;
  id: string;
  memoryId: string;
  /** The beginning of the content. */
  text: string;
}

/** Oldest first; skips blank entries, and those that are cleared or whose agent was deleted. */
export function findUnembedded(
  database: Queryable,
  { model, through }: Progress,
  batch: number,
): Promise<UnembeddedEntry[]> {
  return database.run(unembedded, [model, through, batch]);
}

export interface NewEmbedding {
  accountId: string;
  memoryId: string;
  id: string;
  vector: number[];
}

// Locks the entries: a transaction that deletes an entry waits, and then also deletes the new embedding.
const save: Statement = {
  name: 'memory_embeddings_save',
  text: `
    WITH embedded AS MATERIALIZED (
      SELECT * FROM json_to_recordset($2::json) AS e ("memoryId" text, id text, vector real[], signature text)
    ), entry AS MATERIALIZED (
      SELECT agent_id, id FROM memory_entries
       WHERE account_id = $3 AND agent_id = ANY (ARRAY(SELECT "memoryId" FROM embedded)) AND id = ANY (ARRAY(SELECT id FROM embedded))
         FOR KEY SHARE
    )
    INSERT INTO memory_embeddings (account_id, agent_id, entry_id, model, embedding, signature)
    SELECT $3, entry.agent_id, entry.id, $1, vector, signature::varbit FROM entry JOIN embedded USING (id)
    ON CONFLICT (account_id, agent_id, entry_id) DO UPDATE
       SET model = excluded.model, embedding = excluded.embedding, signature = excluded.signature`,
};

/** Upserts embeddings. Skips those whose entries have been deleted. */
export async function saveEmbeddings(
  database: Queryable,
  model: string,
  embeddings: readonly NewEmbedding[],
): Promise<void> {
  for (const [accountId, ofAccount] of groupBy(embeddings, (one) => one.accountId)) {
    const rows = ofAccount.map((one) => ({ ...one, signature: signatureOf(one.vector) }));
    await database.run(save, [model, JSON.stringify(rows), accountId]);
  }
}
