/**
 * Deletes the oldest entries of memories, and takes their words out of the counts in the same statement.
 * Why SQL: words are taken from the tsvector of what is deleted; Prisma cannot read a tsvector.
 */
import type { Queryable, Statement } from '../connection.js';
import { isWord, wordsOf } from './memory-count-words.js';

const deleteOld: Statement = {
  name: 'memory_delete_old',
  text: `
    WITH old AS MATERIALIZED (
      SELECT id, agent_id FROM memory_entries WHERE id < $1 ORDER BY id LIMIT $2
    ), agent AS MATERIALIZED (
      SELECT id FROM agents WHERE id IN (SELECT agent_id FROM old) FOR KEY SHARE SKIP LOCKED
    ), deleted AS (
      DELETE FROM memory_entries
       WHERE id IN (SELECT old.id FROM old JOIN agent ON agent.id = old.agent_id)
      RETURNING agent_id, search
    ), uncounted AS (
      UPDATE memory_words AS known SET entries = known.entries - gone.entries
        FROM (SELECT agent_id, word, count(*) AS entries
                FROM deleted CROSS JOIN ${wordsOf('search')}
               WHERE ${isWord}
               GROUP BY 1, 2) AS gone
       WHERE known.agent_id = gone.agent_id AND known.word = gone.word
    )
    SELECT count(*)::int AS count FROM deleted`,
};

/** Up to so many of those whose ids are lower. Says how many. An agent that is being deleted is left alone. */
export async function deleteOldEntries(
  database: Queryable,
  before: string,
  batch: number,
): Promise<number> {
  const [deleted] = await database.run<{ count: number }>(deleteOld, [before, batch]);
  return deleted?.count ?? 0;
}
