/**
 * Counts the words of memory entries.
 * Why SQL: reads the words from the tsvector and upserts their counts in one statement; Prisma cannot read a tsvector.
 */
import type { Queryable, Statement } from '../connection.js';
import { lockedMemories } from './fragments.js';

/** The setting that holds the id up to which entries are counted. */
export const wordProgressKey = 'memory_words';

/** The setting that holds the id up to which they are no longer counted, because they are about to be dropped. */
export const wordForgottenKey = 'memory_words_forgotten';

export const isNotForgotten = (id: string) =>
  `${id} > coalesce((SELECT value #>> '{}' FROM settings WHERE key = '${wordForgottenKey}'), '')`;

// Numbers, addresses and the like are only matched exactly: there are too many to count, and a similar one is a different
// one.
export const isWord = `word !~ '[[:digit:][:punct:]]' AND length(word) <= 40`;

/** A pseudo-word that every entry contains, so that its count is the number of entries. */
export const anyWord = '';

/** What one entry, and all entries of an agent, can teach at most: every search looks through the words of the agent. */
const maxWordsOfEntry = 2_000;
export const maxWordsOfAgent = 50_000;

export const wordsOf = (search: string) =>
  `unnest((tsvector_to_array(${search}))[1:${maxWordsOfEntry}] || '${anyWord}'::text) AS word`;

const count: Statement = {
  name: 'memory_count_words',
  text: `
    WITH entry AS MATERIALIZED (
      SELECT id, agent_id, search FROM memory_entries
       WHERE id > $1 AND id < $2
       ORDER BY id LIMIT $3
    ), memory AS MATERIALIZED (
      ${lockedMemories('entry')}
    ), taught AS MATERIALIZED (
      SELECT id FROM memory
       WHERE EXISTS (SELECT FROM memory_words WHERE agent_id = memory.id OFFSET ${maxWordsOfAgent - 1})
    ), added AS (
      INSERT INTO memory_words AS known (agent_id, word, entries)
      SELECT memory.id, word, count(*)
        FROM entry JOIN memory ON memory.id = entry.agent_id
       CROSS JOIN ${wordsOf('entry.search')}
       WHERE ${isWord}
         AND (NOT EXISTS (SELECT FROM taught WHERE taught.id = memory.id)
              OR EXISTS (SELECT FROM memory_words w WHERE w.agent_id = memory.id AND w.word = word.word))
       GROUP BY 1, 2
      ON CONFLICT (agent_id, word) DO UPDATE SET entries = known.entries + excluded.entries
    )
    SELECT max(id) AS through, count(*)::int AS entries FROM entry`,
};

export interface CountedWords {
  /** The last entry counted; null if there was none. */
  through: string | null;
  entries: number;
}

/** Counts the words of up to `batch` entries between the two ids. */
export async function countWordsBetween(
  database: Queryable,
  { after, before, batch }: { after: string; before: string; batch: number },
): Promise<CountedWords> {
  const [counted] = await database.run<CountedWords>(count, [after, before, batch]);
  return counted ?? { through: null, entries: 0 };
}

// Of memories that still exist: the words of others are deleted as a whole.
const forget: Statement = {
  name: 'memory_forget_words',
  text: `
    WITH entry AS MATERIALIZED (
      SELECT id, agent_id, search FROM memory_entries
       WHERE id > $1 AND id < $2
       ORDER BY id LIMIT $3
    ), memory AS MATERIALIZED (
      ${lockedMemories('entry')}
    ), subtracted AS (
      UPDATE memory_words AS known SET entries = known.entries - gone.entries
        FROM (SELECT memory.id AS agent_id, word, count(*) AS entries
                FROM entry JOIN memory ON memory.id = entry.agent_id
               CROSS JOIN ${wordsOf('entry.search')}
               WHERE ${isWord}
               GROUP BY 1, 2) AS gone
       WHERE known.agent_id = gone.agent_id AND known.word = gone.word
    )
    SELECT max(id) AS through, count(*)::int AS entries FROM entry`,
};

/** Subtracts the words of up to `batch` entries between the two ids. */
export async function forgetWordsBetween(
  database: Queryable,
  { after, before, batch }: { after: string; before: string; batch: number },
): Promise<CountedWords> {
  const [forgotten] = await database.run<CountedWords>(forget, [after, before, batch]);
  return forgotten ?? { through: null, entries: 0 };
}
