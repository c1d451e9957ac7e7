/** Queries of agents. Every lookup filters by account, so that it never finds another account's agent. */
import type { AgentStatus } from '../../../generated/api.js';
import type { Connection } from '../postgres/connection.js';

export {
  type ActiveAgent,
  findActiveAgent,
  findAgent,
  findAgentMemory,
  type StoredAgent,
} from './find.sql.js';
export { type AgentListing, type AgentQuery, listAgents } from './page.sql.js';

export interface AgentChanges {
  model?: string;
  temperature?: number;
}

export async function updateAgent(
  { prisma }: Connection,
  id: string,
  changes: AgentChanges,
): Promise<boolean> {
  const { count } = await prisma.agent.updateMany({ where: { id }, data: changes });
  return count === 1;
}

/** Foreign keys delete keys, webhooks and leases at once; triggers note the rest in `purges`, to be deleted later. */
export async function deleteAgent({ prisma }: Connection, id: string): Promise<boolean> {
  const { count } = await prisma.agent.deleteMany({ where: { id } });
  return count === 1;
}

export async function setStatus(
  { prisma }: Connection,
  id: string,
  status: AgentStatus,
): Promise<void> {
  await prisma.agent.updateMany({ where: { id }, data: { status } });
}
