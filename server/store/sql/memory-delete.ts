/**
 * Deletes memory entries and subtracts their words from the counts in the same statement.
 * Why SQL: reads the words from the tsvector of the deleted rows; Prisma cannot read a tsvector.
 */
import type { Queryable, Statement } from '../connection.js';
import { lockedMemories } from './fragments.js';
import { isNotForgotten, isWord, wordsOf } from './memory-count-words.js';

/** `chosen` selects the id and the agent of up to $1 entries; `isCounted` tells which of them are in the counts. */
const deletion = (name: string, chosen: string, isCounted: string): Statement => ({
  name,
  text: `
    WITH chosen AS MATERIALIZED (
      ${chosen} LIMIT $1
    ), memory AS MATERIALIZED (
      ${lockedMemories('chosen')}
    ), deleted AS (
      DELETE FROM memory_entries AS entry USING chosen JOIN memory ON memory.id = chosen.agent_id
       WHERE entry.agent_id = chosen.agent_id AND entry.id = chosen.id
      RETURNING entry.id, entry.agent_id, entry.search
    ), uncounted AS (
      UPDATE memory_words AS known SET entries = known.entries - gone.entries
        FROM (SELECT agent_id, word, count(*) AS entries
                FROM deleted CROSS JOIN ${wordsOf('search')}
               WHERE ${isWord} AND ${isCounted} AND ${isNotForgotten('deleted.id')}
               GROUP BY 1, 2) AS gone
       WHERE known.agent_id = gone.agent_id AND known.word = gone.word
    )
    SELECT count(*)::int AS count FROM deleted`,
});

const deleteOld = deletion(
  'memory_delete_old',
  `SELECT id, agent_id FROM memory_entries WHERE id < $2 ORDER BY id`,
  'true',
);

const deleteOfUser = deletion(
  'memory_delete_user',
  `SELECT id, agent_id FROM memory_entries
    WHERE memory_keys(agent_id, user_id, search) @> ARRAY[memory_key($2, 'user:', $3)]
      AND agent_id = $2 AND user_id = $3 AND epoch <= $4`,
  'deleted.id <= $5',
);

/** Deletes up to `batch` entries with ids below `before`. Returns the number. Skips agents that are being deleted. */
export function deleteOldEntries(
  database: Queryable,
  before: string,
  batch: number,
): Promise<number> {
  return numberOf(database, deleteOld, [batch, before]);
}

/** Deletes up to `batch` entries of a user up to an epoch. Entries up to the id `counted` are in the counts. */
export function deleteEntriesOfUser(
  database: Queryable,
  { memoryId, userId, epoch }: { memoryId: string; userId: string; epoch: number },
  { counted, batch }: { counted: string; batch: number },
): Promise<number> {
  return numberOf(database, deleteOfUser, [batch, memoryId, userId, epoch, counted]);
}

async function numberOf(
  database: Queryable,
  statement: Statement,
  values: (string | number)[],
): Promise<number> {
  const [deleted] = await database.run<{ count: number }>(statement, values);
  return deleted?.count ?? 0;
}
