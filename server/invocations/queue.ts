/** The queue of asynchronous invocations. A worker claims each under a lease, which expires if the worker dies. */
import { groupBy } from '../lib/data/group-by.js';
import type { Connection, Transaction } from '../postgres/connection.js';
import { notify } from '../postgres/notify.sql.js';
import { claimInvocations, findNextAccount } from './claim.sql.js';
import { type Enqueued, enqueueInvocation } from './enqueue.sql.js';
import { beginInvocation, releaseInvocation, renewInvocations } from './lease.sql.js';
import type { ClaimedInvocation, InvocationKey, QueuedInvocation } from './row.js';

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

interface InvocationQueueParts {
  database: Connection;
  /** The worker: unique among all, including past ones. */
  owner: string;
  leaseMs?: number;
}

/** The queue as one worker sees it. */
export class InvocationQueue {
  readonly #database: Connection;
  readonly #owner: string;
  readonly #leaseMs: number;

  constructor({ database, owner, leaseMs = invocationLeaseMs }: InvocationQueueParts) {
    this.#database = database;
    this.#owner = owner;
    this.#leaseMs = leaseMs;
  }

  /** Returns the next account, in the order of ids, that has due invocations; starts over after the last. Undefined: nothing is due. */
  nextAccount(after: string): Promise<string | undefined> {
    return findNextAccount(this.#database, after);
  }

  /** Claims due invocations of an account; only the first of each session, to keep its messages in order. */
  claim(accountId: string, limit: number): Promise<ClaimedInvocation[]> {
    const leaseMs = this.#leaseMs;
    return claimInvocations(this.#database, { owner: this.#owner, accountId, limit, leaseMs });
  }

  /** Returns the ids of those that this worker still holds. */
  async renew(held: readonly InvocationKey[]): Promise<Set<string>> {
    const renewed = await Promise.all(
      [...groupBy(held, ({ accountId }) => accountId)].map(([accountId, invocations]) => {
        const ids = invocations.map(({ id }) => id);
        const leases = { owner: this.#owner, accountId, ids };
        return renewInvocations(this.#database, leases, this.#leaseMs);
      }),
    );
    return new Set(renewed.flat());
  }

  /**
   * Counts an attempt just before the model is called, because an invocation that was still waiting did not cause its worker's
   * death. Returns false if another worker holds the invocation.
   */
  begin(invocation: InvocationKey): Promise<boolean> {
    const lease = { ...invocation, owner: this.#owner };
    return beginInvocation(this.#database, lease, this.#leaseMs);
  }

  /** For graceful shutdown: returns the invocation to the queue without counting the attempt. */
  release(claimed: ClaimedInvocation): Promise<void> {
    return this.#return(claimed, claimed.attempts);
  }

  /** For a failed attempt: returns the invocation to the queue for the next attempt. */
  retry(claimed: ClaimedInvocation): Promise<void> {
    return this.#return(claimed, null);
  }

  async #return(claimed: ClaimedInvocation, attempts: number | null): Promise<void> {
    const lease = { ...claimed, owner: this.#owner };
    const isReturned = await releaseInvocation(this.#database, lease, attempts);
    if (isReturned) await notify(this.#database, invocationChannel);
  }
}
