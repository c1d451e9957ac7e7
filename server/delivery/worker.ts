/** Delivers events: claims what is due, as much as the receivers have room for, and records how each attempt went. */
import { randomUUID } from 'node:crypto';
import { type Lease, type LeaseLoop, startLeaseLoop } from '../background/lease-loop.js';
import { createWakeUp } from '../lib/wake-up.js';
import {
  claimDeliveries,
  type ClaimedDelivery,
  type Continuation,
  deliveryChannel,
  releaseLeases,
  renewLeases,
} from '../store/deliveries.js';
import { listen } from '../store/listen.js';
import { createDeliver, type DeliveryParts } from './deliver.js';
import { type Limits, trackReceivers, usualLimits } from './receivers.js';
import { createResultWriter } from './results.js';

export interface DeliveryWorkerOptions extends DeliveryParts {
  /** Leads to PostgreSQL itself: a pooler in transaction mode cannot LISTEN. */
  directUrl: string;
  limits?: Limits;
  /** For how long a crashed worker's deliveries stay claimed. */
  leaseMs?: number;
  pollMs?: number;
}

export type DeliveryWorker = LeaseLoop;

const batchSize = 100;

const keyOf = ({
  eventId,
  webhookId,
  owner,
}: Pick<ClaimedDelivery, 'eventId' | 'webhookId' | 'owner'>) => `${eventId} ${webhookId} ${owner}`;

export async function startDeliveryWorker(options: DeliveryWorkerOptions): Promise<DeliveryWorker> {
  const { database, onError, limits = usualLimits, leaseMs = 8_000, pollMs = 2_000 } = options;
  const write = createResultWriter(database, onError);
  const deliver = createDeliver(options);
  const wakeUp = createWakeUp();
  let leftSome = false;
  const receivers = trackReceivers(() => {
    if (leftSome) wakeUp.wakeSoon();
  }, limits);

  let from: Continuation | undefined;
  let wasFull = false;
  const claim = async () => {
    const limit = Math.min(receivers.free(), batchSize);
    // Set before the query, so that room which becomes free meanwhile leads to the next claim.
    leftSome = true;
    if (limit <= 0) {
      wasFull = false;
      return { items: [], more: false };
    }
    const claimed = await claimDeliveries(database, {
      owner: randomUUID(),
      leaseMs,
      limit,
      rooms: receivers.rooms(),
      usualRoom: limits.firstRoom,
      withFailing: receivers.canTakeFailing(),
      from,
    });
    from = claimed.next;
    leftSome = claimed.leftSome;
    wasFull ||= claimed.deliveries.length === limit;
    const more = !claimed.isDone || wasFull;
    if (claimed.isDone) wasFull = false;
    return { items: claimed.deliveries, more };
  };

  const work = async (delivery: ClaimedDelivery, lease: Lease) => {
    const attempt = receivers.begin(delivery.webhookId, delivery.isFailing);
    try {
      const result = await deliver(delivery, lease.signal).catch((error: unknown) => {
        attempt.leaveReceiver(undefined);
        throw error;
      });
      attempt.leaveReceiver(result?.succeeded);
      // Recording the result ends the lease; a shutdown must not give the delivery back meanwhile.
      lease.letGo();
      if (result) await write(result);
    } finally {
      attempt.end();
    }
  };

  const listener = await listen({
    url: options.directUrl,
    channels: { [deliveryChannel]: wakeUp.wake },
    onReset: wakeUp.wake,
    onError,
  });
  const loop = startLeaseLoop<ClaimedDelivery>({
    claim,
    keyOf,
    work,
    renew: async (deliveries) =>
      new Set((await renewLeases(database, deliveries, leaseMs)).map(keyOf)),
    release: (deliveries) => releaseLeases(database, deliveries),
    onError,
    wakeUp,
    pollMs,
    renewEveryMs: leaseMs / 4,
  });
  return {
    stop: async (gracePeriodMs) => {
      await Promise.all([loop.stop(gracePeriodMs), listener.close()]);
    },
  };
}
