/** The queue of asynchronous invocations. A worker claims each under a lease, which expires if the worker dies. */
import { groupBy } from '../../lib/data/group-by.js';
import type { Connection, Transaction } from '../postgres/connection.js';
import { notify } from '../postgres/notify.sql.js';
import { type ClaimedInvocation, claimInvocations, findNextAccount } from './claim.sql.js';
import { type Enqueued, enqueueInvocation, type QueuedInvocation } from './enqueue.sql.js';
import {
  beginInvocation,
  type InvocationKey,
  releaseInvocation,
  renewInvocations,
} from './lease.sql.js';

export type { ClaimedInvocation, QueuedInvocation };

export interface InvocationQueue {
  /** Returns the next account, in the order of ids, that has due invocations; starts over after the last. Undefined: nothing is due. */
  nextAccount: (after: string) => Promise<string | undefined>;
  /** Claims due invocations of an account; only the first of each session, to keep its messages in order. */
  claim: (worker: string, accountId: string, limit: number) => Promise<ClaimedInvocation[]>;
  /** Returns the ids of those that this worker still holds. */
  renew: (worker: string, held: readonly InvocationKey[]) => Promise<Set<string>>;
  /**
   * Counts an attempt just before the model is called, because an invocation that was still waiting did not cause its worker's
   * death. Returns false if another worker holds the invocation.
   */
  begin: (worker: string, invocation: InvocationKey) => Promise<boolean>;
  /** For graceful shutdown: returns the invocation to the queue without counting the attempt. */
  release: (worker: string, claimed: ClaimedInvocation) => Promise<void>;
  /** For a failed attempt: returns the invocation to the queue for the next attempt. */
  retry: (worker: string, claimed: ClaimedInvocation) => Promise<void>;
}

/** The NOTIFY channel for new invocations. */
export const invocationChannel = 'ahs_invocations';

const invocationLeaseMs = 8_000;

/** `maxQueued` limits the account's waiting and running invocations. */
export async function enqueue(
  transaction: Transaction,
  invocation: QueuedInvocation,
  maxQueued: number,
): Promise<Enqueued> {
  const enqueued = await enqueueInvocation(transaction, invocation, maxQueued);
  if (enqueued === 'queued') await notify(transaction, invocationChannel);
  return enqueued;
}

export function createInvocationQueue(
  database: Connection,
  leaseMs = invocationLeaseMs,
): InvocationQueue {
  const release = async (worker: string, claimed: ClaimedInvocation, attempts: number | null) => {
    const isReleased = await releaseInvocation(database, worker, claimed, attempts);
    if (isReleased) await notify(database, invocationChannel);
  };
  return {
    nextAccount: (after) => findNextAccount(database, after),
    claim: (worker, accountId, limit) =>
      claimInvocations(database, worker, { accountId, limit, leaseMs }),
    renew: async (worker, held) => {
      const renewed = await Promise.all(
        [...groupBy(held, ({ accountId }) => accountId)].map(([accountId, invocations]) => {
          const ids = invocations.map(({ id }) => id);
          return renewInvocations(database, worker, { accountId, ids }, leaseMs);
        }),
      );
      return new Set(renewed.flat());
    },
    begin: (worker, invocation) => beginInvocation(database, worker, invocation, leaseMs),
    release: (worker, claimed) => release(worker, claimed, claimed.attempts),
    retry: (worker, claimed) => release(worker, claimed, null),
  };
}
