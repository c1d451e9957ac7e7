/**
 * Locks agents, so that what was read of them still holds when the transaction ends.
 * Why SQL: Prisma has no row locks.
 */
import type { Statement, Transaction } from '../connection.js';

const forUpdate: Statement = {
  name: 'agent_lock_for_update',
  text: 'SELECT FROM agents WHERE account_id = $1 AND name = $2 FOR NO KEY UPDATE',
};

/** Nobody else changes, deploys or deletes the agent meanwhile. Invocations go on. */
export async function lockAgentForUpdate(
  transaction: Transaction,
  accountId: string,
  name: string,
): Promise<void> {
  await transaction.run(forUpdate, [accountId, name]);
}

const forShare: Statement = {
  name: 'agents_lock_for_share',
  text: 'SELECT id FROM agents WHERE id = ANY ($1::text[]) ORDER BY id FOR KEY SHARE',
};

const forShareSkipLocked: Statement = {
  name: 'agents_lock_for_share_skip_locked',
  text: `${forShare.text} SKIP LOCKED`,
};

/** Nobody deletes the agents meanwhile. Returns those that are there; without those being deleted if they are skipped. */
export async function lockAgentsForShare(
  transaction: Transaction,
  ids: Iterable<string>,
  { skipLocked = false } = {},
): Promise<Set<string>> {
  const statement = skipLocked ? forShareSkipLocked : forShare;
  const locked = await transaction.run<{ id: string }>(statement, [[...new Set(ids)]]);
  return new Set(locked.map(({ id }) => id));
}
