/** The operator's queries of asynchronous invocations. Every query filters by account. */
import type { Connection, Transaction } from '../postgres/connection.js';
import { lockAgentsForShare } from '../agents/lock.sql.js';
import { type TakenInvocation, takeOverInvocation } from './waiting.sql.js';

export {
  listWaiting,
  type TakenInvocation,
  type WaitingFilter,
  type WaitingInvocation,
  type WaitingStatus,
} from './waiting.sql.js';

export interface FoundInvocation {
  agentId: string;
  status: string;
  finishedAt: Date | null;
}

/** Whether it waits, runs or has ended. Undefined: the account has no such invocation. */
export async function findInvocation(
  { prisma }: Connection,
  accountId: string,
  id: string,
): Promise<FoundInvocation | undefined> {
  const agents = await prisma.agent.findMany({ where: { accountId }, select: { id: true } });
  const found = await prisma.invocation.findFirst({
    // A synchronous invocation does not name its account.
    where: { id, agentId: { in: agents.map((agent) => agent.id) } },
    select: { agentId: true, status: true, finishedAt: true },
  });
  return found ?? undefined;
}

/** Locks its agent as well, in the same order as everybody else. */
export async function takeOver(
  transaction: Transaction,
  taking: { id: string; agentId: string; accountId: string; owner: string },
): Promise<TakenInvocation | undefined> {
  await lockAgentsForShare(transaction, [taking.agentId]);
  return takeOverInvocation(transaction, taking);
}
