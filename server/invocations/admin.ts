/** Queries of asynchronous invocations for the operator's commands. Every query filters by account. */
import type { Invocation } from '../../generated/prisma/client.js';
import type { Connection } from '../postgres/connection.js';

type FoundInvocation = Pick<Invocation, 'agentId' | 'status' | 'finishedAt'>;

/** Undefined: the account has no such invocation. */
export async function findInvocation(
  { prisma }: Connection,
  accountId: string,
  id: string,
): Promise<FoundInvocation | undefined> {
  const agents = await prisma.agent.findMany({ where: { accountId }, select: { id: true } });
  const found = await prisma.invocation.findFirst({
    where: { accountId, id, agentId: { in: agents.map((agent) => agent.id) } },
    select: { agentId: true, status: true, finishedAt: true },
  });
  return found ?? undefined;
}
