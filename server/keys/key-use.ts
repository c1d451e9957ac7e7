/** Records when keys were last used, in batches, since a write per request would be too expensive. */
import type { Queryable, Statement } from '../postgres/connection.js';
import type { Database } from '../postgres/database.js';
import { currentDate } from '../lib/time/clock.js';

interface KeyUse {
  record: (keyId: string) => void;
  /** Writes pending records. */
  close: () => Promise<void>;
}

export function trackKeyUse(
  database: Database,
  { everyMs = 5_000, onError }: { everyMs?: number; onError: (error: unknown) => void },
): KeyUse {
  let uses = new Map<string, Date>();

  const flush = async () => {
    if (uses.size === 0) return;
    const pending = uses;
    uses = new Map();
    try {
      await touchKeys(database, pending);
    } catch (error) {
      // Not retried, since the next use of the key is recorded anyway.
      onError(error);
    }
  };

  const timer = setInterval(() => void flush(), everyMs);
  timer.unref();

  return {
    record: (keyId) => {
      uses.set(keyId, currentDate());
    },
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}

// SQL because each key has its own time: 650 batches of a hundred per second against 16 with Prisma.
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
