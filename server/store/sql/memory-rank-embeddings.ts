/**
 * Ranks the entries of a memory by how close their vectors are to that of a query.
 * Why SQL: arithmetic with vectors and bit strings, which Prisma does not have.
 */
import type { Queryable } from '../connection.js';
import {
  indexedEntries,
  type MemoryScope,
  newestEntries,
  parameters,
  scopeName,
} from './fragments.js';
import type { Ranked } from './memory-rank-words.js';

export interface EmbeddingLookup {
  model: string;
  vector: number[];
  /** Look through this many of the newest entries. */
  newest: number;
  /** And these. */
  alsoIds: readonly string[];
  limit: number;
  /** Whether the extension pgvector does the arithmetic. */
  hasPgvector: boolean;
}

/** First by the signs alone, which is quick; then the closest of them by the whole vectors. */
export function rankByEmbedding(
  database: Queryable,
  scope: MemoryScope,
  { model, vector, newest, alsoIds, limit, hasPgvector }: EmbeddingLookup,
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
      SELECT unnest(${bind(alsoIds)}::text[])
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
  return database.run<Ranked>({ name, text }, values);
}

/** The signs of its numbers. */
export function signatureOf(vector: readonly number[]): string {
  return vector.map((number) => (number > 0 ? '1' : '0')).join('');
}
