/** What entries of memories mean, as vectors of length 1 of one embedding model: kept, and compared. */
import type { Database, Transaction } from './database.js';
import type { Ranked } from './memory-ranking.js';
import { indexedEntries, type MemoryScope, newestEntries, scopeName } from './memory-scope.js';
import { parameters, type Sql } from './sql.js';

const progressKey = 'memory_embeddings';

export interface Progress {
  model: string;
  /** Every entry up to this id has its embedding. */
  through: string;
}

/** Vectors of another model are of no use, so with a new one everything is done anew. */
export async function readProgress({ prisma }: Database, model: string): Promise<Progress> {
  const [progress] = await prisma.$queryRaw<Progress[]>`
    SELECT value ->> 'model' AS model, value ->> 'through' AS through FROM settings WHERE key = ${progressKey}`;
  return progress?.model === model ? progress : { model, through: '' };
}

/** Whether this instance is the one that goes on from there; false while another is at it. */
export async function claimProgress(
  { prisma }: Database,
  progress: Progress,
  leaseMs: number,
): Promise<boolean> {
  const now = Date.now();
  const value = JSON.stringify({ ...progress, until: now + leaseMs });
  const claimed = await prisma.$executeRaw`
    INSERT INTO settings AS known (key, value) VALUES (${progressKey}, ${value}::jsonb)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value
    WHERE (known.value ->> 'until')::float8 <= ${now}`;
  return claimed === 1;
}

/** Lets anybody go on. */
export async function saveProgress(transaction: Transaction, progress: Progress): Promise<void> {
  const value = { ...progress, until: 0 };
  await transaction.setting.upsert({
    where: { key: progressKey },
    create: { key: progressKey, value },
    update: { value },
  });
}

export function findUnembedded(
  { prisma }: Database,
  { model, through }: Progress,
  batch: number,
): Promise<{ id: string; text: string }[]> {
  return prisma.$queryRaw<{ id: string; text: string }[]>`
    SELECT entry.id, left(entry.content, 8000) AS text
      FROM memory_entries AS entry
      LEFT JOIN memory_embeddings AS known ON known.entry_id = entry.id AND known.model = ${model}
     WHERE entry.id > ${through} AND known.entry_id IS NULL AND entry.content ~ '\\S'
     ORDER BY entry.id LIMIT ${batch}`;
}

export interface NewEmbedding {
  id: string;
  vector: number[];
}

/** Those of entries that are gone by now are dropped. */
export async function insertEmbeddings(
  transaction: Transaction,
  model: string,
  embeddings: readonly NewEmbedding[],
): Promise<void> {
  const rows = JSON.stringify(
    embeddings.map(({ id, vector }) => ({ id, vector, signature: signatureOf(vector) })),
  );
  await transaction.$executeRaw`
    INSERT INTO memory_embeddings (entry_id, model, embedding, signature)
    SELECT entry.id, ${model}, ARRAY(SELECT number::real FROM jsonb_array_elements_text(made.vector) AS number),
           made.signature::varbit
      FROM jsonb_to_recordset(${rows}::jsonb) AS made (id text, vector jsonb, signature text)
      JOIN memory_entries AS entry ON entry.id = made.id
       FOR KEY SHARE OF entry
    ON CONFLICT (entry_id) DO UPDATE
      SET model = excluded.model, embedding = excluded.embedding, signature = excluded.signature`;
}

export interface EmbeddingLookup {
  model: string;
  vector: number[];
  /** Look through this many of the newest entries. */
  newest: number;
  /** And these. */
  also: readonly string[];
  limit: number;
  /** Whether the extension pgvector does the arithmetic. */
  hasPgvector: boolean;
}

/** First by the signs alone, which is quick; then the closest of them by the whole vectors. */
export function rankByEmbedding(
  sql: Sql,
  scope: MemoryScope,
  { model, vector, newest, also, limit, hasPgvector }: EmbeddingLookup,
): Promise<Ranked[]> {
  const { values, bind } = parameters();
  const wanted = `${bind(vector)}::real[]`;
  const similarity = hasPgvector
    ? `1 - (embedding::vector <=> ${wanted}::vector)`
    : `(SELECT sum(one * other) FROM unnest(embedding, ${wanted}) AS pair (one, other))`;
  const ofUser =
    scope.userId === undefined
      ? ''
      : `UNION SELECT id FROM (${indexedEntries(scope, { has: 'all', words: [], limit: newest }, bind)}) AS theirs`;
  const text = `
    WITH entry AS MATERIALIZED (
      SELECT id FROM (${newestEntries(scope, newest, bind)}) AS recent
      UNION
      SELECT unnest(${bind(also)}::text[])
      ${ofUser}
    ), close AS MATERIALIZED (
      SELECT entry_id, embedding FROM memory_embeddings
        JOIN entry ON entry.id = memory_embeddings.entry_id
       WHERE model = ${bind(model)} AND bit_length(signature) = ${vector.length}
       ORDER BY bit_count(signature # ${bind(signatureOf(vector))}::varbit), entry_id DESC
       LIMIT ${bind(2 * limit)}
    )
    SELECT entry_id AS id, greatest(0, least(1, ${similarity}))::float8 AS score
      FROM close ORDER BY score DESC, id DESC LIMIT ${bind(limit)}`;
  const name = `memory_rank_meaning_${vector.length}_${scopeName(scope)}`;
  return sql.run<Ranked>({ name, text }, values);
}

function signatureOf(vector: number[]): string {
  return vector.map((number) => (number > 0 ? '1' : '0')).join('');
}

/** Whether pgvector can be used here; it is switched on where the server has it and the role may do so. */
export async function usePgvector(sql: Sql): Promise<boolean> {
  const known = await sql.run(findPgvector, []);
  if (known.length === 0) return false;
  try {
    await sql.run(createPgvector, []);
    return true;
  } catch {
    // Plain SQL does the same, only slower.
    return false;
  }
}

const findPgvector = {
  name: 'pgvector_find',
  text: `SELECT name FROM pg_available_extensions WHERE name = 'vector'`,
};

const createPgvector = {
  name: 'pgvector_create',
  text: 'CREATE EXTENSION IF NOT EXISTS vector',
};
