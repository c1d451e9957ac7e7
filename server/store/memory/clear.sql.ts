/**
 * Counts what clearing a memory clears.
 * Why SQL: which entries are cleared already is more than Prisma can compare.
 */
import type { Transaction } from '../postgres/connection.js';
import { parameters } from '../postgres/fragments.sql.js';
import { type Memory, uncleared } from './scope.sql.js';

/** Counts the entries, or those of the user. */
export async function countEntries(
  transaction: Transaction,
  memory: Memory,
  userId: string | null,
): Promise<number> {
  const { values, bind } = parameters();
  const ofMemory = `account_id = ${bind(memory.accountId)} AND agent_id = ${bind(memory.memoryId)}`;
  const ofUser = userId === null ? '' : `AND user_id = ${bind(userId)}`;
  const entries = `SELECT user_id, epoch FROM memory_entries WHERE ${ofMemory} ${ofUser}`;
  const text = `SELECT count(*)::float8 AS count FROM (${uncleared(memory, entries, bind)}) AS counted`;
  const [counted] = await transaction.run<{ count: number }>(
    { name: 'memory_count', text },
    values,
  );
  return counted?.count ?? 0;
}
