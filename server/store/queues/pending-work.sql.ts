/**
 * Finds out which background tasks have work.
 * Why SQL: one statement checks all of them, which matters because it also runs while the service is idle.
 */
import type { Queryable, Statement } from '../postgres/connection.js';

/** True for each task that has work. */
export interface PendingWork {
  usage: boolean;
  purges: boolean;
  /** Streams whose `drop_at` has passed. */
  streams: boolean;
  /** Asynchronous invocations that wait, or whose worker died. */
  invocations: boolean;
  deliveries: boolean;
}

const find: Statement = {
  name: 'work_pending',
  text: `
    SELECT (SELECT account_id FROM usage_deltas LIMIT 1) IS NOT NULL AS usage,
           (SELECT owner_id FROM purges LIMIT 1) IS NOT NULL AS purges,
           (SELECT stream_id FROM stream_events WHERE drop_at <= now() LIMIT 1) IS NOT NULL AS streams,
           (SELECT id FROM invocations
             WHERE status IN ('queued', 'running') AND available_at <= now() LIMIT 1) IS NOT NULL AS invocations,
           (SELECT event_id FROM deliveries
             WHERE status = 'pending' AND next_attempt_at <= now() LIMIT 1) IS NOT NULL AS deliveries`,
};

export async function findPendingWork(database: Queryable): Promise<PendingWork> {
  const [found] = await database.run<PendingWork>(find, []);
  if (!found) throw new Error('The statement returned no row.');
  return found;
}
