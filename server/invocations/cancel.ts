/** Cancels invocations: the operator asynchronous ones, and a caller those of its own requests. */
import { randomUUID } from 'node:crypto';
import type { Invocation } from '../../generated/prisma/client.js';
import { agentNotFound, type Caller } from '../accounts/caller.js';
import { errorResponse } from '../contract/error-response.js';
import { settleKeys } from '../idempotency/records.sql.js';
import type { RecordOutcome } from '../idempotency/records.js';
import {
  sealSettlement,
  type StoredResponse,
  toStoredResponse,
} from '../idempotency/sealed-response.js';
import { notify } from '../postgres/notify.sql.js';
import { closePaused } from './approvals.js';
import { removeSteps } from './steps.sql.js';
import { findActiveAgent } from '../agents/configurations.js';
import { getAgent } from '../agents/agents.js';
import { notFound, ServiceError } from '../contract/errors.js';
import type { Secrets } from '../installation/key-ring.js';
import type { Connection } from '../postgres/connection.js';
import type { Database } from '../postgres/database.js';
import { cancelledBy, errorOf } from './failure.js';
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
  /** The previous status. A worker that runs the invocation is told, and would notice when it next renews its lease. */
  was: WaitingStatus | 'paused';
}

/** The NOTIFY channel for runs that were cancelled. The payload is the id of the invocation, or of the request that runs it. */
export const cancelChannel = 'ahs_cancelled';

/**
 * Records the failure `cancelled`, its log entry, its event and the response for a repeat of the request in one transaction. If a
 * worker completes the invocation at the same time, only one of the two is recorded.
 */
export async function cancelInvocation(
  { database, secrets }: CancellationParts,
  { accountId }: Pick<Caller, 'accountId'>,
  id: string,
  by: 'caller' | 'operator' = 'operator',
): Promise<Cancellation> {
  // One that waits for approval may outlive its row, which is deleted by age.
  const found =
    (await database.prisma.pausedRun.findUnique({
      where: { accountId_requestId: { accountId, requestId: id } },
      select: { agentId: true },
    })) ?? (await findInvocation(database, accountId, id));
  if (!found) {
    throw notFound(
      `asynchronous invocation '${id}' in this account. Synchronous invocations cannot be cancelled`,
    );
  }
  const { agentId } = found;
  const worker = `${by} ${randomUUID()}`;
  const cancelled = await database.transaction(async (transaction) => {
    const paused = { accountId, agentId, requestId: id, failure: cancelledBy(by) };
    if (await closePaused(transaction, secrets, paused)) return { was: 'paused' as const };
    const lease = { id, agentId, accountId, owner: worker };
    const taken = await takeOverInvocation(transaction, lease);
    if (!taken) return undefined;
    const { was, idempotencyId, ...request } = taken;
    const { environment } = request;
    const reference = agentId;
    const agent = await findActiveAgent(transaction, { accountId, reference, environment });
    if (!agent) throw agentNotFound(agentId);
    const invocation = { ...request, agent };
    const result = { failure: cancelledBy(by) };
    const outcome = outcomeOf(invocation, result, { tokensUsed: null, hasActed: false });
    const key = idempotencyId && { id: idempotencyId, owner: null };
    const idempotency = settlementOf(key, id, outcome);
    const record = recordOf({
      invocation,
      outcome,
      logs: new Journal(invocation).close(outcome),
      leases: { sessionOwner: null, worker, idempotency },
      hasSteps: taken.hasActed,
      traceContext: null,
    });
    const recorder = createInvocationRecorder({ connection: transaction, secrets });
    // The transaction has just taken the only lease, so nothing but the agent can be gone.
    if ((await recorder.record(record)) !== 'recorded') throw agentNotFound(agentId);
    await notify(transaction, cancelChannel, [id]);
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

/**
 * Cancels what a request with an Idempotency-Key runs, wherever it runs. Returns the id of the invocation; undefined if it has ended, so that
 * its response counts.
 */
export async function cancelRequest(
  parts: CancellationParts,
  found: Extract<RecordOutcome, { outcome: 'running' | 'replay' }>,
): Promise<string | undefined> {
  const { database, secrets } = parts;
  const { accountId, id, owner } = found.claim;
  if (found.outcome === 'replay') {
    const requestId = waitingIn(found.response);
    if (requestId === undefined) return undefined;
    return cancelInvocation(parts, { accountId }, requestId, 'caller').then(
      () => requestId,
      (error: unknown) => {
        // It has ended in the meantime, or its agent was deleted.
        if (error instanceof ServiceError && error.code !== 'unavailable') return undefined;
        throw error;
      },
    );
  }
  const requestId = found.requestId ?? owner;
  const response = toStoredResponse(errorResponse(errorOf(cancelledBy('caller'))));
  const key = sealSettlement(secrets, { id, owner, response });
  // From now on the run can begin no call, because it does not hold its key any more.
  const settled = await database.atomically(async (queryable) => {
    const count = await settleKeys(queryable, accountId, [key]);
    if (count > 0) await removeSteps(queryable, accountId, [requestId]);
    return count;
  });
  if (settled === 0) return undefined;
  await notify(database, cancelChannel, [owner]);
  return requestId;
}

/** The invocation of a response that is not its last one: a 202, or one that says what waits for approval. */
function waitingIn({ status, body }: StoredResponse): string | undefined {
  if (status !== 200 && status !== 202) return undefined;
  const { data } = JSON.parse(body) as { data: { request_id: string; status?: string } };
  return status === 202 || data.status === 'requires_approval' ? data.request_id : undefined;
}
