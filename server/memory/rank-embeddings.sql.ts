/**
 * Ranks memory entries by the similarity of their embeddings to a query's, with pgvector where it is available.
 * Why SQL: arithmetic on vectors and bit strings, which Prisma does not support; and its client neither lists nor creates extensions.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import { parameters } from '../postgres/fragments.sql.js';
import { type MemoryScope, newestEntries, scopeName } from './scope.sql.js';
import type { Ranked } from './search.sql.js';

const findPgvector: Statement = {
  name: 'pgvector_find',
  text: `SELECT name FROM pg_available_extensions WHERE name = 'vector'`,
};

const createPgvector: Statement = {
  name: 'pgvector_create',
  text: 'CREATE EXTENSION IF NOT EXISTS vector',
};

/** Enables pgvector if the server provides it and the role may create it. Returns whether it can be used. */
export async function usePgvector(database: Queryable): Promise<boolean> {
  const available = await database.run(findPgvector, []);
  if (available.length === 0) return false;
  try {
    await database.run(createPgvector, []);
    return true;
  } catch {
    // Searches then use plain SQL, which is slower.
    return false;
  }
}

interface EmbeddingLookup {
  model: string;
  vector: number[];
  /** The number of newest entries to search. */
  newest: number;
  /** Further entries to search. */
  alsoIds: readonly string[];
  limit: number;
  /** Whether to compute similarity with the pgvector extension. */
  hasPgvector: boolean;
}

/** Preselects by the Hamming distance of the signatures, which is fast; then ranks by cosine similarity. */
export function rankByEmbedding(
  database: Queryable,
  scope: MemoryScope,
  { model, vector, newest, alsoIds, limit, hasPgvector }: EmbeddingLookup,
): Promise<Ranked[]> {
  const { values, bind } = parameters();
  const target = `${bind(vector)}::real[]`;
  const similarity = hasPgvector
    ? `1 - (embedding::vector <=> ${target}::vector)`
    : `(SELECT sum(one * other) FROM unnest(embedding, ${target}) AS pair (one, other))`;
  const text = `
    WITH entry AS MATERIALIZED (
      SELECT id FROM (${newestEntries(scope, newest, bind)}) AS recent
      UNION
      SELECT unnest(${bind(alsoIds)}::text[])
    ), close AS MATERIALIZED (
      SELECT entry_id, embedding FROM memory_embeddings
        JOIN entry ON entry.id = memory_embeddings.entry_id
       WHERE account_id = ${bind(scope.accountId)} AND agent_id = ${bind(scope.memoryId)} AND model = ${bind(model)} AND bit_length(signature) = ${vector.length}
       ORDER BY bit_count(signature # ${bind(signatureOf(vector))}::varbit), entry_id DESC
       LIMIT ${bind(2 * limit)}
    )
    SELECT entry_id AS id, greatest(0, least(1, ${similarity}))::float8 AS score
      FROM close ORDER BY score DESC, id DESC LIMIT ${bind(limit)}`;
  const name = `memory_rank_meaning_${vector.length}_${scopeName(scope)}`;
  return database.run<Ranked>({ name, text }, values);
}

/** One bit per component, its sign. */
export function signatureOf(vector: readonly number[]): string {
  return vector.map((number) => (number > 0 ? '1' : '0')).join('');
}
