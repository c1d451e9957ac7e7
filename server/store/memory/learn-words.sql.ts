/**
 * Adds the words of memory entries to the vocabulary of their agent.
 * Why SQL: reads the words from the tsvector, which Prisma cannot do, and adds them in one statement.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import { memoryIdSql } from './scope.sql.js';

/** The setting that holds the id up to which the words of entries are learnt. */
export const wordProgressKey = 'memory_words';

// Numbers, addresses and the like are only matched exactly: there are too many to learn, and a similar one is a different
// one. Of three letters and fewer, almost any two words are alike.
export const isWord = `length(word) BETWEEN 4 AND 40 AND word !~ '[[:digit:][:punct:]]'`;

/** What one entry, and all entries of an agent, add at most: a search for a misspelt word looks through the vocabulary. */
const maxWordsOfEntry = 2_000;
export const maxWordsOfAgent = 50_000;

export const wordsOf = (search: string) =>
  `unnest((tsvector_to_array(${search}))[1:${maxWordsOfEntry}]) AS word`;

// Locks the agents against deletion, except those that are being deleted. A word that is said again is written once a day.
const learn: Statement = {
  name: 'memory_learn_words',
  text: `
    WITH entry AS MATERIALIZED (
      SELECT id, agent_id, search, created_at FROM memory_entries
       WHERE id > $1 AND id < $2
       ORDER BY id LIMIT $3
    ), memory AS MATERIALIZED (
      SELECT ${memoryIdSql('agents')} AS id FROM agents
       WHERE id IN (SELECT split_part(agent_id, '.', 1) FROM entry) FOR KEY SHARE SKIP LOCKED
    ), learning AS MATERIALIZED (
      SELECT id FROM memory
       WHERE NOT EXISTS (SELECT FROM memory_words WHERE agent_id = memory.id OFFSET ${maxWordsOfAgent - 1})
    ), learnt AS (
      INSERT INTO memory_words AS known (agent_id, word, said_at)
      SELECT learning.id, word, max(entry.created_at)
        FROM entry JOIN learning ON learning.id = entry.agent_id
       CROSS JOIN ${wordsOf('entry.search')}
       WHERE ${isWord}
       GROUP BY 1, 2
      ON CONFLICT (agent_id, word) DO UPDATE SET said_at = excluded.said_at
       WHERE known.said_at < excluded.said_at - interval '1 day'
    )
    SELECT max(id) AS through, count(*)::int AS entries FROM entry`,
};

export interface LearntWords {
  /** The last entry whose words are learnt; null if there was none. */
  through: string | null;
  entries: number;
}

/** Adds the words of up to `batch` entries between the two ids. */
export async function learnWordsBetween(
  database: Queryable,
  { after, before, batch }: { after: string; before: string; batch: number },
): Promise<LearntWords> {
  const [learnt] = await database.run<LearntWords & object>(learn, [after, before, batch]);
  return learnt ?? { through: null, entries: 0 };
}
