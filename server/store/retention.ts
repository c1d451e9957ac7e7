/**
 * Deletes what is older than it may be, in small steps. What was counted is taken out of the counts in the same
 * statement, so that totals and metrics always agree with what is still there. Agents are locked first, as deleting an
 * agent does; one that is being deleted is left alone. Each function says whether more is waiting.
 */
import { lowestIdAt } from '../lib/typeid.js';
import type { Transaction } from './database.js';
import { lockWords, uncountDeleted } from './memory-words.js';

export async function deleteOldLogs(
  transaction: Transaction,
  before: Date,
  batch: number,
): Promise<boolean> {
  const deleted = await transaction.$queryRaw<unknown[]>`
    WITH agent AS MATERIALIZED (
      SELECT id FROM agents
       WHERE EXISTS (SELECT FROM log_entries WHERE agent_id = agents.id AND logged_at < ${before})
       LIMIT 100 FOR KEY SHARE SKIP LOCKED
    ), old AS MATERIALIZED (
      SELECT entry.* FROM agent CROSS JOIN LATERAL (
        SELECT agent_id, logged_at, id FROM log_entries
         WHERE agent_id = agent.id AND logged_at < ${before}
         ORDER BY logged_at LIMIT ${batch}) AS entry
       LIMIT ${batch}
    ), deleted AS (
      DELETE FROM log_entries AS entry USING old
       WHERE entry.agent_id = old.agent_id AND entry.logged_at = old.logged_at AND entry.id = old.id
      RETURNING entry.agent_id, entry.logged_at, entry.level
    ), counted AS (
      INSERT INTO usage_deltas (agent_id, bucket_start, logs_debug, logs_info, logs_warn, logs_error)
      SELECT agent_id, date_bin('1 minute', logged_at, 'epoch'),
             -count(*) FILTER (WHERE level = 'debug'), -count(*) FILTER (WHERE level = 'info'),
             -count(*) FILTER (WHERE level = 'warn'), -count(*) FILTER (WHERE level = 'error')
        FROM deleted GROUP BY 1, 2
    )
    SELECT FROM deleted`;
  return deleted.length === batch;
}

/** Those that have ended. */
export async function deleteOldInvocations(
  transaction: Transaction,
  before: Date,
  batch: number,
): Promise<boolean> {
  const deleted = await transaction.$queryRaw<unknown[]>`
    WITH old AS MATERIALIZED (
      SELECT id, agent_id FROM invocations
       WHERE id < ${lowestIdAt('req', before)} AND status IN ('succeeded', 'failed')
       ORDER BY id LIMIT ${batch}
    ), agent AS MATERIALIZED (
      SELECT id FROM agents WHERE id IN (SELECT agent_id FROM old) FOR KEY SHARE SKIP LOCKED
    ), deleted AS (
      DELETE FROM invocations
       WHERE id IN (SELECT old.id FROM old JOIN agent ON agent.id = old.agent_id)
      RETURNING agent_id, created_at, status, duration_ms
    ), counted AS (
      INSERT INTO usage_deltas (agent_id, bucket_start, invocations, failures, duration_ms)
      SELECT agent_id, date_bin('1 minute', created_at, 'epoch'), -count(duration_ms),
             -count(*) FILTER (WHERE status = 'failed'), -coalesce(sum(duration_ms), 0)
        FROM deleted GROUP BY 1, 2
    )
    SELECT FROM deleted`;
  return deleted.length === batch;
}

export async function deleteOldMemories(
  transaction: Transaction,
  before: Date,
  batch: number,
): Promise<boolean> {
  await lockWords(transaction);
  const deleted = await transaction.$queryRaw<unknown[]>`
    WITH old AS MATERIALIZED (
      SELECT id, agent_id FROM memory_entries WHERE id < ${lowestIdAt('mem', before)} ORDER BY id LIMIT ${batch}
    ), agent AS MATERIALIZED (
      SELECT id FROM agents WHERE id IN (SELECT agent_id FROM old) FOR KEY SHARE SKIP LOCKED
    ), deleted AS (
      DELETE FROM memory_entries
       WHERE id IN (SELECT old.id FROM old JOIN agent ON agent.id = old.agent_id)
      RETURNING agent_id, search
    ), unlearnt AS (${uncountDeleted})
    SELECT FROM deleted`;
  return deleted.length === batch;
}

/** With their deliveries. One that is still to be delivered stays. */
export async function deleteOldEvents(
  transaction: Transaction,
  before: Date,
  batch: number,
): Promise<boolean> {
  const deleted = await transaction.$executeRaw`
    DELETE FROM events WHERE id IN (
      SELECT id FROM events
       WHERE id < ${lowestIdAt('evt', before)}
         AND NOT EXISTS (SELECT FROM deliveries WHERE event_id = events.id AND status = 'pending')
       ORDER BY id LIMIT ${batch}
         FOR UPDATE SKIP LOCKED)`;
  return deleted === batch;
}
