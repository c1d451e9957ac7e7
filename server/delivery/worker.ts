/** Delivers events: claims what is due, as much as there is room for, and keeps its leases while it works on it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  claimDeliveries,
  type ClaimedDelivery,
  type Continuation,
  deliveryChannel,
  releaseLeases,
} from '../store/deliveries.js';
import { listen } from '../store/listen.js';
import { createDeliver, type DeliveryParts } from './deliver.js';
import { holdLeases } from './leases.js';
import { type Limits, trackReceivers, usualLimits } from './receivers.js';
import { createResultWriter } from './results.js';
import { createWakeUp } from './wake-up.js';

export interface DeliveryWorker {
  /** Takes nothing new, lets attempts finish for that long, and gives back the ones that have not. */
  stop: (gracePeriodMs: number) => Promise<void>;
}

export interface DeliveryWorkerOptions extends DeliveryParts {
  /** Leads to PostgreSQL itself: a pooler in transaction mode cannot LISTEN. */
  directUrl: string;
  limits?: Limits;
  /** For how long a crashed worker's deliveries are left alone. */
  leaseMs?: number;
  /** How often to look without being told: the safety net for announcements that are lost. */
  pollMs?: number;
}

const batchSize = 100;

export async function startDeliveryWorker(parts: DeliveryWorkerOptions): Promise<DeliveryWorker> {
  const { database, onError, limits = usualLimits, leaseMs = 8_000, pollMs = 2_000 } = parts;
  const wakeUp = createWakeUp();
  const running = new Set<Promise<void>>();
  let leftSome = false;
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;

  const receivers = trackReceivers(() => {
    if (leftSome) wakeUp.callSoon();
  }, limits);
  const leases = holdLeases(database, { leaseMs, onError });
  const write = createResultWriter(database, onError);
  const deliver = createDeliver(parts);

  const work = async (delivery: ClaimedDelivery) => {
    const attempt = receivers.begin(delivery.webhookId, delivery.isFailing);
    const lease = leases.hold(delivery);
    try {
      const result = await attemptOnce(delivery, lease.signal).finally(lease.letGo);
      attempt.leaveReceiver(result?.succeeded);
      if (result) await write(result);
    } finally {
      attempt.end();
    }
  };

  // A delivery whose attempt was not made to the end is claimed again when its lease ends.
  const attemptOnce = async (delivery: ClaimedDelivery, signal: AbortSignal) => {
    try {
      return await deliver(delivery, signal);
    } catch (error) {
      if (!signal.aborted) onError(error);
      return undefined;
    }
  };

  const claim = async (from: Continuation | undefined) => {
    const limit = Math.min(receivers.free(), batchSize);
    const claimed = await claimDeliveries(database, {
      owner: randomUUID(),
      leaseMs,
      limit,
      rooms: receivers.rooms(),
      usualRoom: limits.firstRoom,
      withFailing: receivers.canTakeFailing(),
      from,
    });
    for (const delivery of claimed.deliveries) {
      const working = work(delivery).finally(() => running.delete(working));
      running.add(working);
    }
    return { ...claimed, isFull: claimed.deliveries.length === limit };
  };

  let from: Continuation | undefined;

  /** Whether there may have been more than the claims could take. */
  const poll = async (): Promise<boolean> => {
    let wasFull = false;
    while (receivers.free() > 0 && !isStopping()) {
      const claimed = await claim(from);
      from = claimed.next;
      leftSome = claimed.leftSome;
      wasFull ||= claimed.isFull;
      if (claimed.isDone) return wasFull;
    }
    return false;
  };

  const loop = async () => {
    while (!isStopping()) {
      // Set before the question is asked, so that room which comes up meanwhile leads to the next one.
      leftSome = true;
      try {
        while (await poll());
      } catch (error) {
        onError(error);
      }
      if (!isStopping()) await wakeUp.sleep(pollMs);
    }
  };

  const listener = await listen({
    url: parts.directUrl,
    channels: { [deliveryChannel]: wakeUp.call },
    onReset: wakeUp.call,
    onError,
  });
  const looping = loop();

  return {
    stop: async (gracePeriodMs) => {
      stopping.abort();
      wakeUp.call();
      await Promise.all([looping, listener.close()]);
      const patience = new AbortController();
      await Promise.race([
        Promise.allSettled(running),
        delay(gracePeriodMs, undefined, { signal: patience.signal }).catch(() => undefined),
      ]);
      patience.abort();
      const unfinished = leases.endAll();
      await Promise.allSettled(running);
      if (unfinished.length > 0) await releaseLeases(database, unfinished).catch(onError);
    },
  };
}
