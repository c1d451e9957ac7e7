/**
 * The queue of pending deliveries. A claimed delivery is leased: no other worker gets it until the lease expires, and its
 * owner renews the lease while it works. All times come from the database, so that workers' clocks may differ.
 */
import type { Connection, Queryable } from './connection.js';
import type { Database } from './database.js';
import {
  claimDue,
  type ClaimedDelivery,
  claimRange,
  type DeliveryClaim,
} from './sql/deliveries-claim.js';
import { type Lease, releaseLeases as release } from './sql/deliveries-lease.js';

export type { ClaimedDelivery };
export { type AttemptResult, type FailureLog, recordResults } from './sql/deliveries-record.js';
export { type Lease, renewLeases } from './sql/deliveries-lease.js';

/** The NOTIFY channel for deliveries that are due immediately. */
export const deliveryChannel = 'ahs_deliveries';

export interface ClaimOptions extends DeliveryClaim {
  /** Where to continue: `next` of the previous claim. */
  from: Continuation | undefined;
}

/** The id of the webhook to continue after. */
export type Continuation = string;

export interface Claimed {
  deliveries: ClaimedDelivery[];
  /** Whether due deliveries may remain that one of the limits held back. */
  hasMore: boolean;
  /** Where the next claim continues. */
  next: Continuation | undefined;
  /** Whether the next claim can wait for a wake-up: nothing else is claimable now. */
  isDone: boolean;
}

/**
 * Claims due deliveries, oldest first. If deliveries without capacity fill the whole range that a claim scans, it
 * continues webhook by webhook, so that the cost does not grow with the backlog.
 */
export async function claimDeliveries(database: Database, options: ClaimOptions): Promise<Claimed> {
  const { seen, lastWebhook, deliveries } = await claimDue(database, options);
  const isRangeFull = seen === claimRange;
  if (options.from === undefined) {
    const isBlocked = isRangeFull && deliveries.length < options.limit;
    const hasMore = seen > deliveries.length;
    return { deliveries, hasMore, next: isBlocked ? beginning : undefined, isDone: !isBlocked };
  }
  if (isRangeFull) {
    return { deliveries, hasMore: true, next: lastWebhook ?? undefined, isDone: false };
  }
  // As long as going webhook by webhook finds something, do not return to the range by age, which is blocked.
  const next = deliveries.length > 0 ? beginning : undefined;
  return { deliveries, hasMore: true, next, isDone: true };
}

/** Sorts before every webhook id. */
const beginning: Continuation = '';

export async function readEventBody(
  { prisma }: Connection,
  { accountId, eventId: id }: Pick<Lease, 'accountId' | 'eventId'>,
): Promise<Buffer | undefined> {
  const event = await prisma.event.findUnique({
    where: { accountId_id: { accountId, id } },
    select: { body: true },
  });
  return event
    ? Buffer.from(event.body.buffer, event.body.byteOffset, event.body.byteLength)
    : undefined;
}

/** Releases deliveries whose attempt did not finish, so that other workers need not wait for the leases to expire. */
export function releaseLeases(database: Queryable, leases: readonly Lease[]): Promise<void> {
  return release(database, leases, deliveryChannel);
}

/** Marks a delivery as failed without an attempt, if the lease is still held. */
export async function giveUpDelivery(
  { prisma }: Connection,
  { accountId, eventId, webhookId, owner }: Lease,
  reason: string,
): Promise<void> {
  await prisma.delivery.updateMany({
    where: { accountId, eventId, webhookId, leaseOwner: owner, status: 'pending' },
    data: { status: 'failed', leaseOwner: null, lastError: reason },
  });
}
