/**
 * Returns an asynchronous invocation to the queue, and notifies the workers.
 * Why SQL: it becomes due by the database's clock, and NOTIFY is sent in the same statement.
 */
import type { Queryable, Statement } from '../connection.js';

const release: Statement = {
  name: 'invocations_give_back',
  text: `
    WITH given AS (
      UPDATE invocations
         SET status = 'queued', lease_owner = NULL, attempts = coalesce($4, attempts), available_at = now()
       WHERE id = $2 AND lease_owner = $1 AND status = 'running'
      RETURNING 1
    )
    SELECT pg_notify($3, '') FROM given`,
};

export async function releaseInvocation(
  database: Queryable,
  worker: string,
  id: string,
  { channel, attempts }: { channel: string; attempts: number | null },
): Promise<void> {
  await database.run(release, [worker, id, channel, attempts]);
}
