/**
 * The queue of pending deliveries. A claimed delivery is leased: no other worker gets it until the lease expires, and its
 * owner renews the lease while it works. All times come from the database, so that workers' clocks may differ.
 */
import type { Connection, Queryable } from '../postgres/connection.js';
import { groupBy } from '../../lib/group-by.js';
import { notify } from '../postgres/notify.sql.js';
import { type Lease, releaseLeases as release } from './lease.sql.js';
import {
  type AttemptResult,
  type DisabledWebhooks,
  type FailureLog,
  giveUpPending,
  recordAttempts,
} from './record.sql.js';
import { insertLogEntries } from '../logs/entries.js';
import type { Database } from '../postgres/database.js';

export {
  claimDeliveries,
  type ClaimedDelivery,
  type DeliveryClaim,
  type DueReceiver,
  findDueReceivers,
  maxClaimed,
} from './claim.sql.js';
export type { AttemptResult, FailureLog };
export { type Lease, renewLeases } from './lease.sql.js';

/** The NOTIFY channel for deliveries that are due immediately. */
export const deliveryChannel = 'ahs_deliveries';

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
export async function releaseLeases(database: Queryable, leases: readonly Lease[]): Promise<void> {
  await release(database, leases);
  await notify(database, deliveryChannel);
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

/** Records the results of one account's attempts, what they say about the webhooks, and failures in the agents' logs. */
export async function recordResults(
  database: Database,
  accountId: string,
  results: readonly AttemptResult[],
): Promise<void> {
  const disabled = await noteHealth(database, accountId, results);
  if (results.every(({ succeeded }) => succeeded)) {
    await recordAttempts(database, accountId, results, disabled);
    return;
  }
  await database.transaction(async (transaction) => {
    const recorded = await recordAttempts(transaction, accountId, results, disabled);
    if (disabled.size > 0) await giveUpPending(transaction, accountId, disabled);
    const failures = recorded.flatMap((result) => (result.succeeded ? [] : result));
    await insertLogEntries(
      transaction,
      failures.map(({ webhookId, log: { message, ...log } }) => {
        const reason = disabled.get(webhookId);
        const consequence = reason === undefined ? '' : ` The webhook is disabled now: ${reason}`;
        return { ...log, accountId, at: new Date(), level: 'warn', message: message + consequence };
      }),
    );
  });
}

/** A webhook is disabled after every attempt has failed for this long. */
const maxFailingMs = 5 * 86_400_000;

/**
 * Notes since when webhooks fail, and disables those that fail for too long or are gone. Writes only what changes: webhooks are on
 * every server.
 */
async function noteHealth(
  { prisma }: Connection,
  accountId: string,
  results: readonly AttemptResult[],
): Promise<DisabledWebhooks> {
  const byWebhook = groupBy(results, ({ webhookId }) => webhookId);
  const webhooks = await prisma.webhook.findMany({
    where: { accountId, id: { in: [...byWebhook.keys()] }, status: 'enabled' },
    select: { id: true, failingSince: true },
  });
  const disabled = new Map<string, string>();
  for (const { id, failingSince } of webhooks) {
    const attempts = byWebhook.get(id) ?? [];
    const works = attempts.some(({ succeeded }) => succeeded);
    const reason = disablingReason(attempts, works ? null : failingSince);
    if (reason === undefined && works === (failingSince === null)) continue;
    if (reason !== undefined) disabled.set(id, reason);
    await prisma.webhook.updateMany({
      where: { id, status: 'enabled' },
      data: {
        failingSince: works ? null : (failingSince ?? new Date()),
        ...(reason === undefined ? {} : { status: 'disabled', disabledReason: reason }),
      },
    });
  }
  return disabled;
}

function disablingReason(
  attempts: readonly AttemptResult[],
  failingSince: Date | null,
): string | undefined {
  if (attempts.some((attempt) => !attempt.succeeded && attempt.isGone)) {
    return 'The receiver answered 410 Gone.';
  }
  return failingSince && Date.now() - failingSince.getTime() >= maxFailingMs
    ? 'Every attempt has failed for five days.'
    : undefined;
}
