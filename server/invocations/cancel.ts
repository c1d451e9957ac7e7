/** Listing and cancelling asynchronous invocations, which only the operator does. */
import { randomUUID } from 'node:crypto';
import type { Invocation } from '../../generated/prisma/client.js';
import { agentNotFound, type Caller } from '../accounts/caller.js';
import { findActiveAgent } from '../agents/configurations.js';
import { getAgent } from '../agents/agents.js';
import { notFound, ServiceError } from '../contract/errors.js';
import type { Secrets } from '../installation/key-ring.js';
import type { Connection } from '../postgres/connection.js';
import type { Database } from '../postgres/database.js';
import { cancelledByOperator } from './failure.js';
import { Journal } from './journal.js';
import { createInvocationRecorder } from './recorder.js';
import { outcomeOf, recordOf, settlementOf } from './record.js';
import {
  listWaiting,
  takeOverInvocation,
  type WaitingInvocation,
  type WaitingStatus,
} from './waiting.sql.js';

interface InvocationFilter {
  agent: string | undefined;
  status: WaitingStatus | undefined;
  limit: number;
}

/** Oldest first. */
export async function listInvocations(
  database: Database,
  caller: Caller,
  { agent, ...filter }: InvocationFilter,
): Promise<WaitingInvocation[]> {
  const { accountId } = caller;
  const agentId = agent === undefined ? undefined : (await getAgent(database, caller, agent)).id;
  return listWaiting(database, { accountId, agentId, ...filter });
}

export interface CancellationParts {
  database: Database;
  secrets: Secrets;
}

interface Cancellation {
  /** The previous status. A worker that is running the invocation stops it when it next renews its lease. */
  was: WaitingStatus;
}

/**
 * Records the failure `cancelled`, its log entry, its event and the response for a repeat of the request in one transaction. If a
 * worker completes the invocation at the same time, only one of the two is recorded.
 */
export async function cancelInvocation(
  { database, secrets }: CancellationParts,
  { accountId }: Caller,
  id: string,
): Promise<Cancellation> {
  const found = await findInvocation(database, accountId, id);
  if (!found) {
    throw notFound(
      `asynchronous invocation '${id}' in this account. Synchronous invocations cannot be cancelled`,
    );
  }
  const { agentId } = found;
  const worker = `operator ${randomUUID()}`;
  const cancelled = await database.transaction(async (transaction) => {
    const lease = { id, agentId, accountId, owner: worker };
    const taken = await takeOverInvocation(transaction, lease);
    if (!taken) return undefined;
    const { was, idempotencyId, ...request } = taken;
    const agent = await findActiveAgent(transaction, { accountId, reference: agentId });
    if (!agent) throw agentNotFound(agentId);
    const invocation = { ...request, agent };
    const result = { failure: cancelledByOperator };
    const outcome = outcomeOf(invocation, result, { tokensUsed: null, hasActed: false });
    const key = idempotencyId && { id: idempotencyId, owner: null };
    const idempotency = settlementOf(key, id, outcome);
    const record = recordOf({
      invocation,
      outcome,
      logs: new Journal(invocation).close(outcome),
      leases: { sessionOwner: null, worker, idempotency },
      traceContext: null,
    });
    const recorder = createInvocationRecorder({ connection: transaction, secrets });
    // The transaction has just taken the only lease, so nothing but the agent can be gone.
    if ((await recorder.record(record)) !== 'recorded') throw agentNotFound(agentId);
    return { was };
  });
  return cancelled ?? Promise.reject(await alreadyEnded(database, accountId, id));
}

async function alreadyEnded(database: Database, accountId: string, id: string) {
  const ended = await findInvocation(database, accountId, id);
  const at = ended?.finishedAt ? ` at ${ended.finishedAt.toISOString()}` : '';
  return new ServiceError(
    'conflict',
    `Invocation '${id}' has already ended: it ${ended?.status ?? 'was deleted'}${at}. Nothing was changed.`,
  );
}

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
