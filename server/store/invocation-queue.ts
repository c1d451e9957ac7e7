/** Asynchronous invocations that wait to be run: each is claimed under a lease, which a worker that dies lets end. */
import type { Queryable, Transaction } from './connection.js';
import { type ClaimedInvocation, claimInvocations } from './sql/invocations-claim.js';
import { enqueueInvocation, type QueuedInvocation } from './sql/invocations-enqueue.js';
import { releaseInvocation } from './sql/invocations-release.js';
import { renewInvocations } from './sql/invocations-renew.js';

export type { ClaimedInvocation, QueuedInvocation };

export interface InvocationQueue {
  /** The oldest that may run, up to so many. Of one session only the first: its messages stay in their order. */
  claim: (worker: string, count: number) => Promise<ClaimedInvocation[]>;
  /** Returns the ids of those that are still this worker's. */
  renew: (worker: string, ids: readonly string[]) => Promise<Set<string>>;
  /** For a worker that stops in good order: as if it had never been claimed. */
  release: (worker: string, id: string) => Promise<void>;
}

/** On which new work is announced. */
export const invocationChannel = 'ahs_invocations';

const invocationLeaseMs = 8_000;

/** False: the agent is gone. */
export function enqueue(transaction: Transaction, invocation: QueuedInvocation): Promise<boolean> {
  return enqueueInvocation(transaction, invocation, invocationChannel);
}

export function createInvocationQueue(
  database: Queryable,
  leaseMs = invocationLeaseMs,
): InvocationQueue {
  return {
    claim: (worker, count) => claimInvocations(database, worker, { count, leaseMs }),
    renew: (worker, ids) => renewInvocations(database, worker, ids, leaseMs),
    release: (worker, id) => releaseInvocation(database, worker, id, invocationChannel),
  };
}
