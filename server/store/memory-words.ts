/**
 * The words of an agent's memory, each with the number of entries it occurs in: so that a search knows which words are
 * rare, and which ones look like a word that was misspelt. New entries are counted in the background.
 */
import { Prisma } from '../../generated/prisma/client.js';
import type { Transaction } from './database.js';
import type { Sql, Statement } from './sql.js';

const progressKey = 'memory_words';

// Numbers, addresses and the like are found as they are: there are too many of them to keep, and one that is similar is
// another one.
const isWord = `word !~ '[[:digit:][:punct:]]' AND length(word) <= 40`;

/** Every entry has it, so that its count is the number of entries. */
const everywhere = '';
const wordsOf = (search: string) =>
  `unnest(tsvector_to_array(${search}) || '${everywhere}'::text) AS word`;

/** Whoever changes the counts holds this lock, so that no entry is counted while it is deleted. */
export async function lockWords(transaction: Transaction): Promise<string> {
  await transaction.setting.createMany({
    data: { key: progressKey, value: '' },
    skipDuplicates: true,
  });
  const [progress] = await transaction.$queryRaw<{ through: string }[]>`
    SELECT value #>> '{}' AS through FROM settings WHERE key = ${progressKey} FOR UPDATE`;
  return progress?.through ?? '';
}

/** Counts the words of up to so many entries, from where it last stopped to the given id. Whether more are waiting. */
export async function countWords(
  transaction: Transaction,
  { before, batch }: { before: string; batch: number },
): Promise<boolean> {
  const through = await lockWords(transaction);
  const [learnt] = await transaction.$queryRaw<{ through: string | null; entries: bigint }[]>`
    WITH entry AS MATERIALIZED (
      SELECT id, agent_id, search FROM memory_entries
       WHERE id > ${through} AND id < ${before}
       ORDER BY id LIMIT ${batch}
    ), agent AS MATERIALIZED (
      SELECT id FROM agents WHERE id IN (SELECT agent_id FROM entry) FOR KEY SHARE SKIP LOCKED
    ), added AS (
      INSERT INTO memory_words AS known (agent_id, word, entries)
      SELECT agent.id, word, count(*)
        FROM entry JOIN agent ON agent.id = entry.agent_id
       CROSS JOIN ${Prisma.raw(wordsOf('entry.search'))}
       WHERE ${Prisma.raw(isWord)}
       GROUP BY 1, 2
      ON CONFLICT (agent_id, word) DO UPDATE SET entries = known.entries + excluded.entries
    )
    SELECT max(id) AS through, count(*) AS entries FROM entry`;
  if (typeof learnt?.through !== 'string') return false;
  await transaction.setting.update({
    where: { key: progressKey },
    data: { value: learnt.through },
  });
  return Number(learnt.entries) === batch;
}

/** Takes back what was counted for entries that are deleted; the statement names them `deleted`. */
export const uncountDeleted = Prisma.raw(`
  UPDATE memory_words AS known SET entries = known.entries - gone.entries
    FROM (SELECT agent_id, word, count(*) AS entries
            FROM deleted CROSS JOIN ${wordsOf('search')}
           WHERE ${isWord}
           GROUP BY 1, 2) AS gone
   WHERE known.agent_id = gone.agent_id AND known.word = gone.word`);

export async function deleteUnusedWords(transaction: Transaction): Promise<void> {
  await transaction.memoryWord.deleteMany({ where: { entries: { lte: 0 } } });
}

/** A word of a query in its basic form. */
export interface QueryWord {
  word: string;
  /** In how many entries it occurs; null if that is not known. */
  entries: number | null;
  similar: SimilarWord[];
  /** How many entries there are altogether, as far as they are counted. */
  allEntries: number;
}

export interface SimilarWord {
  word: string;
  /** By trigrams, from 0 to 1. */
  similarity: number;
  entries: number | null;
}

/** Takes a query apart into words, the longest first, and finds similar ones in the agent's memory. */
export function parseQuery(
  sql: Sql,
  agentId: string,
  query: string,
  maxWords: number,
): Promise<QueryWord[]> {
  return sql.run<QueryWord>(UNDERSTAND, [agentId, query, maxWords]);
}

// Trigrams do not show that two letters changed places, so that is looked up. Words of the latest entries, which are not
// counted yet, are compared one by one.
const UNDERSTAND: Statement = {
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
       WHERE agent_id = $1 AND id > coalesce((SELECT value #>> '{}' FROM settings WHERE key = '${progressKey}'), '')
       ORDER BY id DESC LIMIT 100
    ), fresh AS MATERIALIZED (
      SELECT DISTINCT word FROM latest CROSS JOIN ${wordsOf('search')}
       WHERE length(search) <= 1000 AND length(word) > 3 AND ${isWord}
    )
    SELECT term.word, known.entries::float8 AS entries, coalesce(near.words, '[]') AS similar,
           coalesce((SELECT entries FROM memory_words WHERE agent_id = $1 AND word = '${everywhere}'), 0)::float8
           AS "allEntries"
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
