/**
 * Takes row locks on agents, so that what was read is still true when the transaction commits.
 * Why SQL: Prisma has no row locks.
 */
import type { Statement, Transaction } from '../postgres/connection.js';

const forUpdate: Statement = {
  name: 'agent_lock_for_update',
  text: 'SELECT FROM agents WHERE account_id = $1 AND name = $2 FOR NO KEY UPDATE',
};

/** Blocks concurrent changes, deployments and deletion of the agent, but not invocations. */
export async function lockAgentForUpdate(
  transaction: Transaction,
  accountId: string,
  name: string,
): Promise<void> {
  await transaction.run(forUpdate, [accountId, name]);
}

const exclusively: Statement = {
  name: 'agent_lock_exclusively',
  text: 'SELECT id FROM agents WHERE id = $1 FOR UPDATE',
};

/** Blocks invocations of the agent from being recorded, too: none is between its start and its commit. False: no such agent. */
export async function lockAgentExclusively(transaction: Transaction, id: string): Promise<boolean> {
  return (await transaction.run(exclusively, [id])).length > 0;
}

const forShare: Statement = {
  name: 'agents_lock_for_share',
  text: 'SELECT id FROM agents WHERE id = ANY ($1::text[]) ORDER BY id FOR KEY SHARE',
};

const forShareSkipLocked: Statement = {
  name: 'agents_lock_for_share_skip_locked',
  text: `${forShare.text} SKIP LOCKED`,
};

/** Blocks deletion of the agents. Returns those that exist; `skipLocked` leaves out those that are being deleted. */
export async function lockAgentsForShare(
  transaction: Transaction,
  ids: Iterable<string>,
  { skipLocked = false } = {},
): Promise<Set<string>> {
  const statement = skipLocked ? forShareSkipLocked : forShare;
  const locked = await transaction.run<{ id: string }>(statement, [[...new Set(ids)]]);
  return new Set(locked.map(({ id }) => id));
}
