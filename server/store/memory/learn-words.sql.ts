/**
 * Adds the words of memory entries to their agent's vocabulary.
 * Why SQL: Prisma cannot read words from a tsvector.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import { memoryIdSql } from './scope.sql.js';

/** The setting that holds the id of the last entry whose words were learnt. */
export const wordProgressKey = 'memory_words';

// Numbers, addresses and the like only match exactly: there are too many to learn, and similar ones are unrelated. Words of up to
// three letters are excluded because almost any two of them are similar.
export const isWord = `length(word) BETWEEN 4 AND 40 AND word !~ '[[:digit:][:punct:]]'`;

/** Limits the vocabulary, which a search for a misspelt word has to scan. */
const maxWordsOfEntry = 2_000;
export const maxWordsOfAgent = 50_000;

export const wordsOf = (search: string) =>
  `unnest((tsvector_to_array(${search}))[1:${maxWordsOfEntry}]) AS word`;

// $1 and $2 the ids between which to search, $3 limit.
const findNext: Statement = {
  name: 'memory_find_unlearnt',
  text: `
    SELECT account_id AS "accountId", id FROM memory_entries WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3`,
};

/** Returns the next entries whose words have not been learnt, oldest first. */
export function findUnlearnt(
  database: Queryable,
  { after, before, batch }: { after: string; before: string; batch: number },
): Promise<{ accountId: string; id: string }[]> {
  return database.run<{ accountId: string; id: string }>(findNext, [after, before, batch]);
}

// $1 account, $2 first entry, $3 last entry. A repeated word is updated at most once a day.
const learn: Statement = {
  name: 'memory_learn_words',
  text: `
    WITH entry AS MATERIALIZED (
      SELECT id, agent_id, search, created_at FROM memory_entries WHERE account_id = $1 AND id >= $2 AND id <= $3
    ), memory AS MATERIALIZED (
      SELECT ${memoryIdSql('agents')} AS id FROM agents
       WHERE account_id = $1 AND id = ANY (ARRAY(SELECT split_part(agent_id, '.', 1) FROM entry))
    ), known AS MATERIALIZED (
      SELECT agent_id FROM memory_words WHERE account_id = $1 AND agent_id = ANY (ARRAY(SELECT id FROM memory))
       GROUP BY agent_id HAVING count(*) >= ${maxWordsOfAgent}
    ), said AS MATERIALIZED (
      SELECT entry.agent_id, word, max(entry.created_at) AS said_at
        FROM entry CROSS JOIN ${wordsOf('entry.search')}
       WHERE ${isWord} AND agent_id IN (SELECT id FROM memory) AND agent_id NOT IN (SELECT agent_id FROM known)
       GROUP BY 1, 2
    )
    INSERT INTO memory_words AS learnt (account_id, agent_id, word, said_at)
    SELECT $1, agent_id, word, said_at FROM said
    ON CONFLICT (account_id, agent_id, word) DO UPDATE SET said_at = excluded.said_at
     WHERE excluded.said_at - learnt.said_at > interval '1 day'`,
};

/** Adds the words of the account's entries from one id to another. */
export async function learnWordsBetween(
  database: Queryable,
  { accountId, first, last }: { accountId: string; first: string; last: string },
): Promise<void> {
  await database.run(learn, [accountId, first, last]);
}
