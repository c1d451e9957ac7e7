/**
 * Pending deliveries as a queue. A claimed delivery is leased: nobody else gets it before the lease ends, and whoever
 * holds it renews the lease while it works. All times are the database's, so that workers need not agree on one.
 */
import type { Connection, Queryable } from './connection.js';
import type { Database } from './database.js';
import {
  claimDue,
  type ClaimedDelivery,
  claimRange,
  type DeliveryClaim,
} from './sql/deliveries-claim.js';
import { releaseLeases as release } from './sql/deliveries-release.js';
import type { Lease } from './sql/deliveries-renew.js';

export type { ClaimedDelivery };
export { type AttemptResult, type FailureLog, recordResults } from './sql/deliveries-record.js';
export { type Lease, renewLeases } from './sql/deliveries-renew.js';

/** Deliveries that are due now are announced on it. */
export const deliveryChannel = 'ahs_deliveries';

export interface ClaimOptions extends DeliveryClaim {
  /** Where to go on, as the last claim said. */
  from: Continuation | undefined;
}

/** The webhook after which to look for more. */
export type Continuation = string;

export interface Claimed {
  deliveries: ClaimedDelivery[];
  /** Whether due deliveries may be left, which had to wait for one of the limits. */
  hasMore: boolean;
  /** Where the next claim goes on. */
  next: Continuation | undefined;
  /** Whether that can wait for something to happen: there was nothing more to be had. */
  isDone: boolean;
}

/**
 * Takes what is due, the longest due first. Where so much is due that those who must wait hide the others, it goes on
 * webhook by webhook, so that the cost never grows with what has piled up.
 */
export async function claimDeliveries(database: Database, options: ClaimOptions): Promise<Claimed> {
  const { seen, lastWebhook, deliveries } = await claimDue(database, options);
  const isCutShort = seen === claimRange;
  if (options.from === undefined) {
    const isHidden = isCutShort && deliveries.length < options.limit;
    const hasMore = seen > deliveries.length;
    return { deliveries, hasMore, next: isHidden ? beginning : undefined, isDone: !isHidden };
  }
  if (isCutShort) {
    return { deliveries, hasMore: true, next: lastWebhook ?? undefined, isDone: false };
  }
  // As long as there is something to be had webhook by webhook, there is no need to look at what hides it.
  const next = deliveries.length > 0 ? beginning : undefined;
  return { deliveries, hasMore: true, next, isDone: true };
}

/** Before every webhook. */
const beginning: Continuation = '';

export async function readEventBody(
  { prisma }: Connection,
  id: string,
): Promise<Buffer | undefined> {
  const event = await prisma.event.findUnique({ where: { id }, select: { body: true } });
  return event
    ? Buffer.from(event.body.buffer, event.body.byteOffset, event.body.byteLength)
    : undefined;
}

/** Gives deliveries back that were not tried to the end, so that others need not wait for their leases. */
export function releaseLeases(database: Queryable, leases: readonly Lease[]): Promise<void> {
  return release(database, leases, deliveryChannel);
}

/** Ends a delivery without an attempt, unless it is no longer held. */
export async function giveUpDelivery(
  { prisma }: Connection,
  { eventId, webhookId, owner }: Lease,
  reason: string,
): Promise<void> {
  await prisma.delivery.updateMany({
    where: { eventId, webhookId, leaseOwner: owner, status: 'pending' },
    data: { status: 'failed', leaseOwner: null, lastError: reason },
  });
}
