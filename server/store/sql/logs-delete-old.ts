/**
 * Deletes old log entries and subtracts them from the counts in the same statement.
 * Why SQL: finds entries per agent (LATERAL), since the agent leads their index, and takes row locks on agents first.
 */
import type { Queryable, Statement } from '../connection.js';
import { countUsage, loggedRows } from './fragments.js';

const deleteOld: Statement = {
  name: 'logs_delete_old',
  text: `
    WITH agent AS MATERIALIZED (
      SELECT id FROM agents
       WHERE EXISTS (SELECT FROM log_entries WHERE agent_id = agents.id AND logged_at < $1::timestamptz)
       LIMIT 100 FOR KEY SHARE SKIP LOCKED
    ), old AS MATERIALIZED (
      SELECT entry.* FROM agent CROSS JOIN LATERAL (
        SELECT agent_id, logged_at, id FROM log_entries
         WHERE agent_id = agent.id AND logged_at < $1::timestamptz
         ORDER BY logged_at LIMIT $2) AS entry
       LIMIT $2
    ), deleted AS (
      DELETE FROM log_entries AS entry USING old
       WHERE entry.agent_id = old.agent_id AND entry.logged_at = old.logged_at AND entry.id = old.id
      RETURNING entry.agent_id, entry.logged_at, entry.level
    ), counted AS (
      ${countUsage(loggedRows('deleted'), '-')}
    )
    SELECT count(*)::int AS count FROM deleted`,
};

/** Deletes up to `batch` entries of up to a hundred agents. Returns the number deleted. */
export async function deleteOldLogEntries(
  database: Queryable,
  before: Date,
  batch: number,
): Promise<number> {
  const [deleted] = await database.run<{ count: number }>(deleteOld, [before, batch]);
  return deleted?.count ?? 0;
}
