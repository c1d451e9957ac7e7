/** The queue of asynchronous invocations: each is claimed under a lease, which expires if the worker dies. */
import type { Queryable, Transaction } from './connection.js';
import { type ClaimedInvocation, claimInvocations } from './sql/invocations-claim.js';
import { enqueueInvocation, type QueuedInvocation } from './sql/invocations-enqueue.js';
import { releaseInvocation } from './sql/invocations-release.js';
import { renewInvocations } from './sql/invocations-renew.js';

export type { ClaimedInvocation, QueuedInvocation };

export interface InvocationQueue {
  /** Claims up to `count` invocations, oldest first; only the first of each session, to keep its messages in order. */
  claim: (worker: string, count: number) => Promise<ClaimedInvocation[]>;
  /** Returns the ids of those that this worker still holds. */
  renew: (worker: string, ids: readonly string[]) => Promise<Set<string>>;
  /** For graceful shutdown: returns the invocation to the queue without counting the attempt. */
  release: (worker: string, id: string) => Promise<void>;
}

/** The NOTIFY channel for new invocations. */
export const invocationChannel = 'ahs_invocations';

const invocationLeaseMs = 8_000;

/** Returns false if the agent no longer exists. */
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
