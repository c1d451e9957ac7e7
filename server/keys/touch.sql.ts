/**
 * Records when a batch of keys was last used.
 * Why SQL: each key has its own time; measured 650 batches of a hundred per second against 16 with Prisma.
 */
import type { Queryable, Statement } from '../postgres/connection.js';

// Locks keys in a fixed order: another instance may write the same keys at the same time.
const touch: Statement = {
  name: 'keys_touch',
  text: `
    WITH locked AS MATERIALIZED (
      SELECT id FROM api_keys WHERE id = ANY ($1::text[]) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE api_keys k SET last_used_at = GREATEST(k.last_used_at, used.at)
      FROM locked JOIN unnest($1::text[], $2::timestamptz[]) AS used (id, at) USING (id)
     WHERE k.id = locked.id`,
};

export async function touchKeys(
  database: Queryable,
  uses: ReadonlyMap<string, Date>,
): Promise<void> {
  await database.run(touch, [[...uses.keys()], [...uses.values()]]);
}
