/** Delivers events: claims due deliveries up to the receivers' capacity, attempts them and records the results. */
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
import { defaultLimits, type Limits, trackReceivers } from './receivers.js';
import { createResultWriter } from './results.js';

export interface DeliveryWorkerOptions extends DeliveryParts {
  /** Connects to PostgreSQL directly: a pooler in transaction mode does not support LISTEN. */
  directUrl: string;
  limits?: Limits;
  /** How long a crashed worker's deliveries stay claimed. */
  leaseMs?: number;
  pollMs?: number;
}

export interface DeliveryWorker extends LeaseLoop {
  /** Signals that a delivery may be due. */
  wake: () => void;
}

const batchSize = 100;

const keyOf = ({
  eventId,
  webhookId,
  owner,
}: Pick<ClaimedDelivery, 'eventId' | 'webhookId' | 'owner'>) => `${eventId} ${webhookId} ${owner}`;

export async function startDeliveryWorker(options: DeliveryWorkerOptions): Promise<DeliveryWorker> {
  const { database, onError, limits = defaultLimits, leaseMs = 8_000, pollMs = 2_000 } = options;
  const write = createResultWriter(database, onError);
  const deliver = createDeliver(options);
  const wakeUp = createWakeUp();
  let hasMore = false;
  const receivers = trackReceivers(() => {
    if (hasMore) wakeUp.wakeSoon();
  }, limits);

  let from: Continuation | undefined;
  let wasFull = false;
  const claim = async () => {
    const limit = Math.min(receivers.freeSlots(), batchSize);
    // Set before the query, so that a slot freed while it runs triggers the next claim.
    hasMore = true;
    if (limit <= 0) {
      wasFull = false;
      return { items: [], more: false };
    }
    const failing = receivers.failingSlots();
    const claimed = await claimDeliveries(database, {
      owner: randomUUID(),
      leaseMs,
      limit,
      capacities: receivers.remainingCapacities(),
      defaultCapacity: limits.initialCapacity,
      hostCapacities: receivers.remainingPerHost(),
      defaultHostCapacity: limits.maxPerHost,
      held: receivers.heldSlots(),
      free: receivers.freeSlots(),
      includeFailing: failing.areFree,
      excludeFailingOf: failing.exhaustedAccounts,
      from,
    });
    from = claimed.next;
    hasMore = claimed.hasMore;
    wasFull ||= claimed.deliveries.length === limit;
    const more = !claimed.isDone || wasFull;
    if (claimed.isDone) wasFull = false;
    return { items: claimed.deliveries, more };
  };

  const work = async (delivery: ClaimedDelivery, lease: Lease) => {
    const attempt = receivers.begin(delivery);
    try {
      const result = await deliver(delivery, lease.signal).catch((error: unknown) => {
        attempt.releaseReceiver(undefined);
        throw error;
      });
      attempt.releaseReceiver(result?.succeeded);
      // Recording the result releases the lease; a shutdown must not release the delivery in the meantime.
      lease.detach();
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
    onLost: () => options.telemetry?.leaseLost('delivery'),
    wakeUp,
    pollMs,
    renewEveryMs: leaseMs / 4,
  });
  return {
    wake: wakeUp.wake,
    stop: async (gracePeriodMs) => {
      await Promise.all([loop.stop(gracePeriodMs), listener.close()]);
    },
  };
}
