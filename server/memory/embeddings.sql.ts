/**
 * Finds memory entries that a model has not embedded yet, stores their embeddings, and how far the entries are embedded, with a lease for
 * the instance that embeds the next ones.
 * Why SQL: embedding needs only the beginning of a text, while Prisma reads all of it, which may be megabytes; it has no row locks, and
 * cannot compare with the database's clock, by which the lease expires.
 */
import { groupBy } from '../lib/data/group-by.js';
import type { Connection, Queryable, Statement } from '../postgres/connection.js';
import { objectOf } from '../postgres/json.js';
import { signatureOf } from './rank-embeddings.sql.js';

interface Progress {
  model: string;
  /** Every entry up to this id is embedded. */
  through: string;
}

const key = 'memory_embeddings';

/** Starts over if the model has changed, because vectors of different models cannot be compared. */
export async function readProgress({ prisma }: Connection, model: string): Promise<Progress> {
  const setting = await prisma.setting.findUnique({ where: { key } });
  const { model: storedModel, through }: Partial<Progress> = objectOf(setting?.value ?? null) ?? {};
  return { model, through: storedModel === model && through !== undefined ? through : '' };
}

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

const claim: Statement = {
  name: 'memory_embeddings_claim',
  text: `
    UPDATE settings SET value = jsonb_build_object('model', $1::text, 'through', $2::text, 'until', clock.ms + $3::bigint)
      FROM (SELECT floor(extract(epoch FROM now()) * 1000)::bigint AS ms) AS clock
     WHERE key = '${key}' AND (value ->> 'until')::bigint <= clock.ms
    RETURNING clock.ms::float8 AS ms`,
};

/** Acquires the lease and returns the database's time; undefined while another instance holds it. */
export async function claimProgress(
  database: Connection,
  { model, through }: Progress,
  leaseMs: number,
): Promise<Date | undefined> {
  const free = { model, through, until: 0 };
  await database.prisma.setting.createMany({ data: { key, value: free }, skipDuplicates: true });
  const [claimed] = await database.run<{ ms: number }>(claim, [model, through, leaseMs]);
  return claimed && new Date(claimed.ms);
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

/** Stores the progress and releases the lease. */
export async function saveProgress({ prisma }: Connection, progress: Progress): Promise<void> {
  const value = { ...progress, until: 0 };
  await prisma.setting.upsert({ where: { key }, create: { key, value }, update: { value } });
}
