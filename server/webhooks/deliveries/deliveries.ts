/** The rules for listing, replaying and giving up deliveries, which only the operator does. */
import { constraints } from '../../../generated/constraints.js';
import type { Database } from '../../postgres/database.js';
import * as store from './admin.js';
import type { Caller } from '../../accounts/caller.js';
import { notFound, ServiceError } from '../../contract/errors.js';

export const deliveryStatuses = constraints.WebhookDelivery.properties.status.enum;

/** Selects the deliveries of an event, to a webhook, or both. */
export interface DeliverySelector {
  event: string | undefined;
  webhook: string | undefined;
}

interface DeliveryFilter extends DeliverySelector {
  status: store.DeliveryStatus | undefined;
  limit: number;
}

export function listDeliveries(
  database: Database,
  caller: Caller,
  { status, limit, ...selector }: DeliveryFilter,
): Promise<store.DeliveryListing[]> {
  const statuses = status === undefined ? deliveryStatuses : [status];
  return store.listDeliveries(database, select(caller, selector, statuses), limit);
}

/** Replays an event to all receivers whose deliveries have ended, or without an event, all failed deliveries of the webhook. */
export async function replayDeliveries(
  database: Database,
  caller: Caller,
  selector: DeliverySelector,
): Promise<number> {
  const statuses =
    selector.event === undefined ? (['failed'] as const) : (['succeeded', 'failed'] as const);
  const selection = select(caller, selector, statuses);
  const replayed = await store.resetDeliveries(database, selection);
  if (replayed > 0) return replayed;
  const [remaining] = await store.listDeliveries(database, selection, 1);
  if (remaining) {
    throw new ServiceError(
      'conflict',
      `Webhook ${remaining.webhookId} is disabled, so nothing can be sent to it. Create a new webhook first.`,
    );
  }
  throw noDelivery(selector, 'has ended and can be sent again');
}

/** Marks pending deliveries as failed. The result of an attempt in progress is discarded. */
export async function giveUpDeliveries(
  database: Database,
  caller: Caller,
  selector: DeliverySelector,
): Promise<number> {
  const givenUp = await store.giveUpDeliveries(database, select(caller, selector, ['pending']));
  if (givenUp === 0) throw noDelivery(selector, 'is still pending');
  return givenUp;
}

function select(
  { accountId }: Caller,
  { event, webhook }: DeliverySelector,
  statuses: readonly store.DeliveryStatus[],
): store.DeliverySelection {
  return { accountId, eventId: event, webhookId: webhook, statuses };
}

function noDelivery({ event, webhook }: DeliverySelector, state: string): ServiceError {
  const of = event === undefined ? '' : ` of event '${event}'`;
  const to = webhook === undefined ? '' : ` to webhook '${webhook}'`;
  return notFound(`delivery${of}${to} that ${state}`);
}
