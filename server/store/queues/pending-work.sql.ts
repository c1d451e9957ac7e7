/**
 * Finds out which background tasks have something to do.
 * Why SQL: one statement for all of them, since it is sent even when nobody uses the service.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import { wordProgressKey } from '../memory/learn-words.sql.js';

/** Whether there is any. */
export interface PendingWork {
  usage: boolean;
  words: boolean;
  purges: boolean;
  clearances: boolean;
  /** Streams to be dropped. */
  streams: boolean;
  /** Asynchronous ones that wait, or whose worker died. */
  invocations: boolean;
  deliveries: boolean;
}

// $1 the id before which memory entries are settled. By the index, since most rows of `usage_deltas` are dead.
const find: Statement = {
  name: 'work_pending',
  text: `
    SELECT (SELECT id FROM usage_deltas ORDER BY id LIMIT 1) IS NOT NULL AS usage,
           (SELECT id FROM memory_entries
             WHERE id > coalesce((SELECT value #>> '{}' FROM settings WHERE key = '${wordProgressKey}'), '') AND id < $1
             ORDER BY id LIMIT 1) IS NOT NULL AS words,
           EXISTS (SELECT FROM purges) AS purges,
           EXISTS (SELECT FROM memory_clearances) AS clearances,
           EXISTS (SELECT FROM stream_events WHERE drop_at <= now()) AS streams,
           EXISTS (SELECT FROM invocations
                    WHERE status IN ('queued', 'running') AND available_at <= now()) AS invocations,
           EXISTS (SELECT FROM deliveries
                    WHERE status = 'pending' AND next_attempt_at <= now()) AS deliveries`,
};

export async function findPendingWork(
  database: Queryable,
  { settledBefore }: { settledBefore: string },
): Promise<PendingWork> {
  const [found] = await database.run<PendingWork>(find, [settledBefore]);
  if (!found) throw new Error('The statement returned no row.');
  return found;
}
