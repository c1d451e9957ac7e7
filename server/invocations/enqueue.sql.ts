/**
 * Queues an asynchronous invocation, unless the account has too many.
 * Why SQL: an invocation becomes due by the database's clock, which Prisma cannot write.
 */
import type { Statement, Transaction } from '../postgres/connection.js';
import { takeTransactionLock } from '../postgres/advisory-lock.sql.js';
import { columnsOf, jsonRows, rowsFrom, valuesOf } from '../postgres/rows.sql.js';
import { type QueuedInvocation, queuedColumns } from './row.js';

const count: Statement = {
  name: 'invocations_count_waiting',
  text: `
    SELECT count(*)::int AS count FROM (
      SELECT 1 FROM invocations WHERE account_id = $1 AND status IN ('queued', 'running') LIMIT $2) AS waiting`,
};

const enqueue: Statement = {
  name: 'invocations_enqueue',
  text: `
    INSERT INTO invocations (account_id, ${columnsOf(queuedColumns)}, status, available_at)
    SELECT $1, ${valuesOf('i', queuedColumns)}, 'queued', now()
      FROM ${rowsFrom('$2', 'i', queuedColumns)}
      JOIN agents a ON a.account_id = $1 AND a.id = i."agentId"
    RETURNING id`,
};

export type Enqueued = 'queued' | 'agent_gone' | 'too_many';

/** `maxQueued` limits the account's waiting and running invocations, unless it is Infinity; the lock makes the limit exact. */
export async function enqueueInvocation(
  transaction: Transaction,
  invocation: QueuedInvocation,
  maxQueued: number,
): Promise<Enqueued> {
  const { accountId } = invocation;
  if (maxQueued !== Infinity) {
    await takeTransactionLock(transaction, `invocations ${accountId}`);
    const [waiting] = await transaction.run<{ count: number }>(count, [accountId, maxQueued]);
    if (!waiting || waiting.count >= maxQueued) return 'too_many';
  }
  const values = [accountId, jsonRows(queuedColumns, [invocation])];
  const queued = await transaction.run(enqueue, values);
  return queued.length > 0 ? 'queued' : 'agent_gone';
}
