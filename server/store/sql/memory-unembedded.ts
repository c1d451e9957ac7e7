/**
 * Finds memory entries that a model has not embedded yet.
 * Why SQL: Prisma reads whole texts, which may have megabytes, while embedding uses only the beginning.
 */
import type { Queryable, Statement } from '../connection.js';

export interface Progress {
  model: string;
  /** Every entry up to this id is embedded. */
  through: string;
}

const unembedded: Statement = {
  name: 'memory_unembedded',
  text: `
    SELECT entry.id, left(entry.content, 8000) AS text
      FROM memory_entries AS entry
      LEFT JOIN memory_embeddings AS known ON known.entry_id = entry.id AND known.model = $1
     WHERE entry.id > $2 AND known.entry_id IS NULL AND entry.content ~ '\\S'
       AND NOT EXISTS (SELECT FROM purges WHERE "table" = 'memory_entries' AND owner_id = entry.agent_id)
       AND NOT EXISTS (SELECT FROM memory_clearances AS cleared
                        WHERE cleared.agent_id = split_part(entry.agent_id, '.', 1)
                          AND cleared.user_id = entry.user_id AND entry.epoch <= cleared.epoch)
     ORDER BY entry.id LIMIT $3`,
};

/** Oldest first; skips blank entries, and those that are cleared or whose agent was deleted. */
export function findUnembedded(
  database: Queryable,
  { model, through }: Progress,
  batch: number,
): Promise<{ id: string; text: string }[]> {
  return database.run(unembedded, [model, through, batch]);
}
