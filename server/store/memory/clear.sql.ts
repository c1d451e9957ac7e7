/**
 * Counts the entries that clearing a memory affects.
 * Why SQL: Prisma cannot express which entries are already cleared.
 */
import type { Transaction } from '../postgres/connection.js';
import { parameters } from '../postgres/fragments.sql.js';
import { type Memory, excludeCleared } from './scope.sql.js';

/** Null for the user: counts the entries of all users. */
export async function countEntries(
  transaction: Transaction,
  memory: Memory,
  userId: string | null,
): Promise<number> {
  const { values, bind } = parameters();
  const ofMemory = `account_id = ${bind(memory.accountId)} AND agent_id = ${bind(memory.memoryId)}`;
  const ofUser = userId === null ? '' : `AND user_id = ${bind(userId)}`;
  const entries = `SELECT user_id, epoch FROM memory_entries WHERE ${ofMemory} ${ofUser}`;
  const text = `SELECT count(*)::float8 AS count FROM (${excludeCleared(memory, entries, bind)}) AS counted`;
  const [counted] = await transaction.run<{ count: number }>(
    { name: 'memory_count', text },
    values,
  );
  return counted?.count ?? 0;
}
