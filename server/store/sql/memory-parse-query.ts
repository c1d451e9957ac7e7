/**
 * Splits a query into words, longest first, and finds similar words in the agent's memory.
 * Why SQL: full-text search and trigrams, which Prisma does not support.
 */
import type { Queryable, Statement } from '../connection.js';
import { anyWord, isWord, wordProgressKey, wordsOf } from './memory-count-words.js';

/** A word of a query, as a lexeme. */
export interface QueryWord {
  word: string;
  /** The number of entries that contain it; null if unknown. */
  entries: number | null;
  similar: SimilarWord[];
  /** The number of all entries counted so far. */
  allEntries: number;
  /** The id of the oldest entry; null if there is none. */
  oldest: string | null;
}

export interface SimilarWord {
  word: string;
  /** Trigram similarity, from 0 to 1. */
  similarity: number;
  entries: number | null;
}

export function parseQuery(
  database: Queryable,
  memoryId: string,
  query: string,
  maxWords: number,
): Promise<QueryWord[]> {
  return database.run<QueryWord>(parse, [memoryId, query, maxWords]);
}

// Trigrams do not detect transposed letters, so transpositions are looked up. Words of the latest entries, which are not
// counted yet, are compared one by one.
const parse: Statement = {
  name: 'memory_understand_query',
  text: `
    WITH term AS MATERIALIZED (
      SELECT lexeme AS word,
             ARRAY(SELECT overlay(lexeme PLACING substr(lexeme, n + 1, 1) || substr(lexeme, n, 1) FROM n FOR 2)
                     FROM generate_series(1, length(lexeme) - 1) AS n) AS swapped
        FROM unnest(to_tsvector('english', $2))
       ORDER BY length(lexeme) DESC, lexeme
       LIMIT $3
    ), latest AS MATERIALIZED (
      SELECT search FROM memory_entries
       WHERE agent_id = $1 AND id > coalesce((SELECT value #>> '{}' FROM settings WHERE key = '${wordProgressKey}'), '')
       ORDER BY id DESC LIMIT 100
    ), fresh AS MATERIALIZED (
      SELECT DISTINCT word FROM latest CROSS JOIN ${wordsOf('search')}
       WHERE length(search) <= 1000 AND length(word) > 3 AND ${isWord}
    )
    SELECT term.word, known.entries::float8 AS entries, coalesce(near.words, '[]') AS similar,
           coalesce((SELECT entries FROM memory_words WHERE agent_id = $1 AND word = '${anyWord}'), 0)::float8
           AS "allEntries",
           (SELECT id FROM memory_entries WHERE agent_id = $1 ORDER BY id LIMIT 1) AS oldest
      FROM term
      LEFT JOIN memory_words AS known ON known.agent_id = $1 AND known.word = term.word
     CROSS JOIN LATERAL (
       SELECT json_agg(json_build_object('word', word, 'similarity', similarity(word, term.word), 'entries', entries))
              AS words
         FROM (
           (SELECT word, entries FROM memory_words
             WHERE agent_id = $1 AND length(word) > 3 AND word % term.word
             ORDER BY similarity(word, term.word) DESC LIMIT 20)
           UNION
           SELECT word, entries FROM memory_words WHERE agent_id = $1 AND word = ANY (term.swapped)
           UNION
           SELECT word, NULL FROM fresh
            WHERE (word % term.word OR word = ANY (term.swapped))
              AND NOT EXISTS (SELECT FROM memory_words WHERE agent_id = $1 AND memory_words.word = fresh.word)
         ) AS candidate
        WHERE word <> term.word AND length(term.word) > 3
     ) AS near`,
};
