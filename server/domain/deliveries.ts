/** The rules for deliveries that an operator steps in on. */
import type { Database } from '../store/database.js';
import * as store from '../store/delivery-admin.js';
import type { Caller } from './caller.js';
import { notFound, ServiceError } from './errors.js';

export type { DeliveryListing, DeliveryStatus } from '../store/delivery-admin.js';

export const deliveryStatuses = Object.values(store.DeliveryStatus);

/** An event, a webhook, or an event on its way to one webhook. */
export interface DeliveryChoice {
  event: string | undefined;
  webhook: string | undefined;
}

export interface DeliveryFilter extends DeliveryChoice {
  status: store.DeliveryStatus | undefined;
  limit: number;
}

export function listDeliveries(
  database: Database,
  caller: Caller,
  { status, limit, ...choice }: DeliveryFilter,
): Promise<store.DeliveryListing[]> {
  const statuses = status === undefined ? deliveryStatuses : [status];
  return store.listDeliveries(database, select(caller, choice, statuses), limit);
}

/** Of an event everything that is over is sent again; of a whole webhook only what failed. */
export async function replayDeliveries(
  database: Database,
  caller: Caller,
  choice: DeliveryChoice,
): Promise<number> {
  const statuses =
    choice.event === undefined ? (['failed'] as const) : (['succeeded', 'failed'] as const);
  const selection = select(caller, choice, statuses);
  const replayed = await store.replayDeliveries(database, selection);
  if (replayed > 0) return replayed;
  const [left] = await store.listDeliveries(database, selection, 1);
  if (left) {
    throw new ServiceError(
      'conflict',
      `Webhook ${left.webhookId} is disabled, so nothing can be sent to it. Create it anew first.`,
    );
  }
  throw nothingToDo(choice, 'is over and could be sent again');
}

/** Ends what is still to be tried; an attempt that runs at the moment no longer counts. */
export async function giveUpDeliveries(
  database: Database,
  caller: Caller,
  choice: DeliveryChoice,
): Promise<number> {
  const givenUp = await store.giveUpDeliveries(database, select(caller, choice, ['pending']));
  if (givenUp === 0) throw nothingToDo(choice, 'is still pending');
  return givenUp;
}

function select(
  { accountId }: Caller,
  { event, webhook }: DeliveryChoice,
  statuses: readonly store.DeliveryStatus[],
): store.DeliverySelection {
  return { accountId, eventId: event, webhookId: webhook, statuses };
}

function nothingToDo({ event, webhook }: DeliveryChoice, state: string): ServiceError {
  const of = event === undefined ? '' : ` of event '${event}'`;
  const to = webhook === undefined ? '' : ` to webhook '${webhook}'`;
  return notFound(`delivery${of}${to} that ${state}`);
}
