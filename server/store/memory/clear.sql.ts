/**
 * Counts what clearing a memory clears, and puts it out of sight.
 * Why SQL: which entries are cleared is more than Prisma can compare; and Prisma would date the change of the agent.
 */
import type { Statement, Transaction } from '../postgres/connection.js';
import { type Memory, nextMemoryId, uncleared } from './scope.sql.js';
import { parameters } from '../postgres/fragments.sql.js';

/** Counts the entries, or those of the user. */
export async function countEntries(
  transaction: Transaction,
  memory: Memory,
  userId: string | null,
): Promise<number> {
  const { values, bind } = parameters();
  const ofUser = userId === null ? '' : `AND user_id = ${bind(userId)}`;
  const entries = `
    SELECT user_id, epoch FROM memory_entries WHERE agent_id = ${bind(memory.memoryId)} ${ofUser}`;
  const text = `SELECT count(*)::float8 AS count FROM (${uncleared(memory, entries, bind)}) AS counted`;
  const [counted] = await transaction.run<{ count: number }>(
    { name: 'memory_count', text },
    values,
  );
  return counted?.count ?? 0;
}

const replace: Statement = {
  name: 'memory_clear',
  text: `
    WITH purge AS (
      INSERT INTO purges ("table", owner_id, account_id, name)
      SELECT kind, $2, account_id, name
        FROM agents, unnest('{memory_words,memory_entries}'::purged_table[]) AS kind WHERE id = $1
    ), clearance AS (
      DELETE FROM memory_clearances WHERE agent_id = $1
    )
    UPDATE agents SET memory_id = ${nextMemoryId}, memory_epoch = memory_epoch + 1 WHERE id = $1`,
};

/** Gives the agent a new, empty memory; the present one is purged. The caller must hold the exclusive lock on the agent. */
export async function replaceMemory(
  transaction: Transaction,
  agentId: string,
  memoryId: string,
): Promise<void> {
  await transaction.run(replace, [agentId, memoryId]);
}

const hide: Statement = {
  name: 'memory_clear_user',
  text: `
    WITH agent AS (
      UPDATE agents SET memory_epoch = memory_epoch + 1 WHERE id = $1 RETURNING id, memory_epoch - 1 AS epoch
    )
    INSERT INTO memory_clearances (agent_id, user_id, epoch) SELECT id, $2, epoch FROM agent
    ON CONFLICT (agent_id, user_id) DO UPDATE SET epoch = excluded.epoch`,
};

/** Puts all entries that the user has now out of sight. The caller must hold the exclusive lock on the agent. */
export async function hideEntriesOfUser(
  transaction: Transaction,
  agentId: string,
  userId: string,
): Promise<void> {
  await transaction.run(hide, [agentId, userId]);
}
