/**
 * Deletes old memory entries and subtracts their words from the counts in the same statement.
 * Why SQL: reads the words from the tsvector of the deleted rows; Prisma cannot read a tsvector.
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

/** Deletes up to `batch` entries with ids below `before`. Returns the number. Skips agents that are being deleted. */
export async function deleteOldEntries(
  database: Queryable,
  before: string,
  batch: number,
): Promise<number> {
  const [deleted] = await database.run<{ count: number }>(deleteOld, [before, batch]);
  return deleted?.count ?? 0;
}
