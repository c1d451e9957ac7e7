/** The queue of asynchronous invocations: each is claimed under a lease, which expires if the worker dies. */
import type { Connection, Transaction } from '../postgres/connection.js';
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
  /** The account with due invocations whose id follows, or else the first one. Undefined: nothing is due. */
  nextAccount: (after: string) => Promise<string | undefined>;
  /** Claims due invocations of an account; only the first of each session, to keep its messages in order. */
  claim: (worker: string, accountId: string, limit: number) => Promise<ClaimedInvocation[]>;
  /** Returns the ids of those that this worker still holds. */
  renew: (worker: string, held: readonly InvocationKey[]) => Promise<Set<string>>;
  /**
   * Counts an attempt, when the model is about to be called: an invocation that only waited when its worker died is not to
   * blame. Returns false if another worker holds the invocation.
   */
  begin: (worker: string, invocation: InvocationKey) => Promise<boolean>;
  /** Notes that tools are about to be called. Returns false if another worker holds the invocation. */
  act: (worker: string, invocation: InvocationKey) => Promise<boolean>;
  /** For graceful shutdown: returns the invocation to the queue without counting the attempt. */
  release: (worker: string, claimed: ClaimedInvocation) => Promise<void>;
  /** For an attempt that ran in vain: returns the invocation to the queue for the next one. */
  retry: (worker: string, claimed: ClaimedInvocation) => Promise<void>;
}

/** The NOTIFY channel for new invocations. */
export const invocationChannel = 'ahs_invocations';

const invocationLeaseMs = 8_000;

/** `maxQueued` is what the account may have waiting or running. */
export function enqueue(
  transaction: Transaction,
  invocation: QueuedInvocation,
  maxQueued: number,
): Promise<Enqueued> {
  return enqueueInvocation(transaction, invocation, { channel: invocationChannel, maxQueued });
}

export function createInvocationQueue(
  database: Connection,
  leaseMs = invocationLeaseMs,
): InvocationQueue {
  return {
    nextAccount: (after) => findNextAccount(database, after),
    claim: (worker, accountId, limit) =>
      claimInvocations(database, worker, { accountId, limit, leaseMs }),
    renew: (worker, held) => renewInvocations(database, worker, held, leaseMs),
    begin: (worker, invocation) => beginInvocation(database, worker, invocation, leaseMs),
    act: async (worker, { agentId, id }) => {
      const { count } = await database.prisma.invocation.updateMany({
        where: { agentId, id, leaseOwner: worker },
        data: { hasActed: true },
      });
      return count === 1;
    },
    release: (worker, claimed) =>
      releaseInvocation(database, worker, claimed, {
        channel: invocationChannel,
        attempts: claimed.attempts,
      }),
    retry: (worker, claimed) =>
      releaseInvocation(database, worker, claimed, { channel: invocationChannel, attempts: null }),
  };
}
