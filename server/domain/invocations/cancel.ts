/** The rules for listing and cancelling asynchronous invocations, which only the operator does. */
import { randomUUID } from 'node:crypto';
import { findActiveAgent } from '../../store/agents/agents.js';
import type { Database } from '../../store/postgres/database.js';
import * as store from '../../store/invocations/admin.js';
import { createInvocationRecorder } from '../../store/invocations/record.js';
import { getAgent } from '../agents/agents.js';
import { agentNotFound, type Caller } from '../caller.js';
import { notFound, ServiceError } from '../errors.js';
import { cancelledByOperator } from './failure.js';
import type { InvocationParts } from './invocations.js';
import { openJournal } from './journal.js';
import { recordOutcome } from './run.js';

export type { WaitingInvocation, WaitingStatus } from '../../store/invocations/admin.js';

interface InvocationFilter {
  agent: string | undefined;
  status: store.WaitingStatus | undefined;
  limit: number;
}

/** Oldest first. */
export async function listInvocations(
  database: Database,
  caller: Caller,
  { agent, ...filter }: InvocationFilter,
): Promise<store.WaitingInvocation[]> {
  const { accountId } = caller;
  const agentId = agent === undefined ? undefined : (await getAgent(database, caller, agent)).id;
  return store.listWaiting(database, { accountId, agentId, ...filter });
}

interface Cancellation {
  /** The previous status. A worker that is running the invocation stops it when it next renews its lease. */
  was: store.WaitingStatus;
}

/**
 * Records the failure `cancelled`, its log entry, its event and the response for a repeat of the request in one transaction. If a
 * worker completes the invocation at the same time, only one of the two is recorded.
 */
export async function cancelInvocation(
  database: Database,
  { accountId }: Caller,
  id: string,
  storedOutcome: InvocationParts['storedOutcome'],
): Promise<Cancellation> {
  const found = await store.findInvocation(database, accountId, id);
  if (!found) {
    throw notFound(
      `asynchronous invocation '${id}' in this account. Synchronous invocations cannot be cancelled`,
    );
  }
  const { agentId } = found;
  const owner = `operator ${randomUUID()}`;
  const cancelled = await database.transaction(async (transaction) => {
    const taken = await store.takeOverInvocation(transaction, { id, agentId, accountId, owner });
    if (!taken) return undefined;
    const { was, idempotencyId, ...invocation } = taken;
    const agent = await findActiveAgent(transaction, accountId, agentId);
    if (!agent) throw agentNotFound(agentId);
    const input = { ...invocation, agent };
    await recordOutcome(
      { recorder: createInvocationRecorder(transaction) },
      input,
      {
        worker: owner,
        settleKey: (outcome) => idempotencyId && storedOutcome(idempotencyId, id, outcome),
      },
      { failure: cancelledByOperator },
      { journal: openJournal(input), lease: undefined, tokensUsed: null, hasActed: false },
    );
    return { was };
  });
  return cancelled ?? Promise.reject(await alreadyEnded(database, accountId, id));
}

async function alreadyEnded(database: Database, accountId: string, id: string) {
  const ended = await store.findInvocation(database, accountId, id);
  const at = ended?.finishedAt ? ` at ${ended.finishedAt.toISOString()}` : '';
  return new ServiceError(
    'conflict',
    `Invocation '${id}' has already ended: it ${ended?.status ?? 'was deleted'}${at}. Nothing was changed.`,
  );
}
