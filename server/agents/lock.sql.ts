/**
 * Takes row locks on agents, so that what a transaction has read is still true when it commits. Use them only to change an agent:
 * with Citus they lock the whole table on every server.
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

/** Also blocks new keys and webhooks of the agent. Returns false if there is no such agent. */
export async function lockAgentExclusively(transaction: Transaction, id: string): Promise<boolean> {
  return (await transaction.run(exclusively, [id])).length > 0;
}
