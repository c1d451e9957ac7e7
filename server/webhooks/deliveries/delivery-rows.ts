/**
 * The queue of pending deliveries. A claimed delivery is leased: no other worker gets it until the lease expires, and its owner
 * renews the lease during the attempt. All times come from the database, so workers' clocks may differ.
 */
import type { Connection, Queryable } from '../../postgres/connection.js';
import { notify } from '../../postgres/notify.sql.js';
import { type DeliveryLease, releaseLeases as release } from './lease.sql.js';

export {
  claimDeliveries,
  type ClaimedDelivery,
  type DeliveryClaim,
  type DueReceiver,
  findDueReceivers,
  maxClaimed,
} from './claim.sql.js';
export {
  type AttemptResult,
  type FailedAttemptResult,
  failPendingDeliveries,
  recordAttempts,
} from './record.sql.js';
export { type DeliveryLease, renewLeases } from './lease.sql.js';

/** The NOTIFY channel for deliveries that are due immediately. */
export const deliveryChannel = 'ahs_deliveries';

export async function readEventBody(
  { prisma }: Connection,
  { accountId, eventId: id }: Pick<DeliveryLease, 'accountId' | 'eventId'>,
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
export async function releaseLeases(
  database: Queryable,
  leases: readonly DeliveryLease[],
): Promise<void> {
  await release(database, leases);
  await notify(database, deliveryChannel);
}

/** Marks a delivery as failed without an attempt, if the lease is still held. */
export async function giveUpDelivery(
  { prisma }: Connection,
  { accountId, eventId, webhookId, owner }: DeliveryLease,
  reason: string,
): Promise<void> {
  await prisma.delivery.updateMany({
    where: { accountId, eventId, webhookId, leaseOwner: owner, status: 'pending' },
    data: { status: 'failed', leaseOwner: null, lastError: reason },
  });
}
