/**
 * Splits a query into words, longest first, and finds similar words in the agent's memory, to correct misspellings.
 * Why SQL: full-text search and trigrams, which Prisma does not support.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import { isWord, wordProgressKey, wordsOf } from './learn-words.sql.js';
import type { Memory } from './scope.sql.js';

/** A word of a query, as a lexeme. */
export interface QueryWord {
  word: string;
  /** The most similar words of the memory. */
  similar: string[];
  /** How similar the first of them is: trigram similarity, from 0 to 1. */
  similarity: number;
}

export function findQueryWords(
  database: Queryable,
  { accountId, memoryId }: Memory,
  query: string,
  maxWords: number,
): Promise<QueryWord[]> {
  return database.run<QueryWord & object>(find, [accountId, memoryId, query, maxWords]);
}

// A word that the memory contains also matches very similar words, which may be misspelt. A word that it does not contain is probably
// misspelt itself, and matches any similar word. Trigrams do not find transposed letters, so those are looked up. Words of the latest
// entries, which are not in the vocabulary yet, are compared one by one.
const find: Statement = {
  name: 'memory_query_words',
  text: `
    WITH term AS MATERIALIZED (
      SELECT lexeme AS word,
             ARRAY(SELECT overlay(lexeme PLACING substr(lexeme, n + 1, 1) || substr(lexeme, n, 1) FROM n FOR 2)
                     FROM generate_series(1, length(lexeme) - 1) AS n) AS swapped
        FROM unnest(to_tsvector('english', $3))
       ORDER BY length(lexeme) DESC, lexeme
       LIMIT $4
    ), latest AS MATERIALIZED (
      SELECT search FROM memory_entries
       WHERE account_id = $1 AND agent_id = $2
         AND id > coalesce((SELECT value #>> '{}' FROM settings WHERE key = '${wordProgressKey}'), '')
       ORDER BY id DESC LIMIT 100
    ), fresh AS MATERIALIZED (
      SELECT DISTINCT word FROM latest CROSS JOIN ${wordsOf('search')}
       WHERE pg_column_size(search) <= 10000 AND ${isWord}
    ), candidate AS MATERIALIZED (
      SELECT term.word AS term, known.word FROM term JOIN memory_words AS known ON known.word % term.word
       WHERE known.account_id = $1 AND known.agent_id = $2 AND length(known.word) > 3 AND length(term.word) > 3
      UNION
      SELECT term.word, known.word FROM term JOIN memory_words AS known ON known.word = ANY (term.swapped || term.word)
       WHERE known.account_id = $1 AND known.agent_id = $2
      UNION
      SELECT term.word, fresh.word FROM term JOIN fresh ON fresh.word % term.word OR fresh.word = ANY (term.swapped)
       WHERE length(term.word) > 3
    )
    SELECT term.word, coalesce(near.words, '{}') AS similar, coalesce(near.similarity, 0)::float8 AS similarity
      FROM term
     CROSS JOIN LATERAL (
       SELECT array_agg(word ORDER BY similarity DESC) AS words, max(similarity) AS similarity
         FROM (SELECT word, similarity FROM (
                 SELECT word, CASE WHEN word = ANY (term.swapped) THEN 0.7 ELSE similarity(word, term.word) END AS similarity
                   FROM candidate WHERE candidate.term = term.word AND word <> term.word) AS scored
                WHERE similarity >= 0.5
                   OR NOT EXISTS (SELECT FROM candidate WHERE candidate.term = term.word AND candidate.word = term.word)
                ORDER BY similarity DESC, word LIMIT 3) AS most
     ) AS near`,
};
