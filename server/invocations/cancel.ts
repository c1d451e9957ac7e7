/** The rules for listing and cancelling asynchronous invocations, which only the operator does. */
import { randomUUID } from 'node:crypto';
import { findActiveAgent } from '../agents/agent-rows.js';
import type { Secrets } from '../installation/key-ring.js';
import { findInvocation } from './admin.js';
import { createInvocationRecorder } from './record-rows.js';
import {
  listWaiting,
  takeOverInvocation,
  type WaitingInvocation,
  type WaitingStatus,
} from './waiting.sql.js';
import type { Database } from '../postgres/database.js';
import { getAgent } from '../agents/agents.js';
import { agentNotFound, type Caller } from '../accounts/caller.js';
import { notFound, ServiceError } from '../contract/errors.js';
import { cancelledByOperator } from './failure.js';
import { Journal } from './journal.js';
import { outcomeOf, recordOf } from './record.js';
import { settlementOf } from './response.js';

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
    const agent = await findActiveAgent(transaction, accountId, agentId);
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
