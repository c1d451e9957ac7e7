/**
 * Limits concurrent attempts, globally and per receiver, so that a hanging receiver does not delay the others. The
 * capacity of a receiver starts small, doubles with each success and halves with each failure. A slow attempt moves from
 * the quick limit to the slow one, and failing receivers share a limit of their own.
 */

export interface Limits {
  /** Maximum number of concurrent attempts that have run for less than `quickMs`. */
  quick: number;
  /** Maximum number of concurrent attempts, in addition to those, that have run for longer than `quickMs`. */
  slow: number;
  quickMs: number;
  /** Maximum number of concurrent attempts to receivers whose last attempt failed. */
  failing: number;
  /** Concurrent attempts to a single receiver: initially, and at most. */
  initialCapacity: number;
  maxCapacity: number;
}

export const defaultLimits: Limits = {
  quick: 256,
  slow: 1_000,
  quickMs: 1_000,
  failing: 500,
  initialCapacity: 2,
  maxCapacity: 16,
};

export interface Receivers {
  /** How many attempts can start now. */
  freeSlots: () => number;
  /** How many attempts can start per tracked receiver; any other receiver has the initial capacity. */
  remainingCapacities: () => Map<string, number>;
  canStartFailing: () => boolean;
  begin: (receiver: string, isFailing: boolean) => RunningAttempt;
}

export interface RunningAttempt {
  /** Frees the receiver's slot and adjusts its capacity. Undefined: the outcome says nothing about the receiver. */
  releaseReceiver: (succeeded: boolean | undefined) => void;
  /** Frees the global slot, once the result has been recorded. */
  end: () => void;
}

interface Receiver {
  running: number;
  capacity: number;
  idleSince: number;
}

const idleTimeoutMs = 60_000;

/** Calls `onCapacity` whenever a slot becomes free. */
export function trackReceivers(onCapacity: () => void, limits: Limits = defaultLimits): Receivers {
  const receivers = new Map<string, Receiver>();
  let quick = 0;
  let slow = 0;
  let failing = 0;

  return {
    freeSlots: () => limits.quick - quick,
    canStartFailing: () => failing < limits.failing,

    remainingCapacities() {
      const remaining = new Map<string, number>();
      for (const [id, { running, capacity, idleSince }] of receivers) {
        if (running === 0 && idleSince + idleTimeoutMs < Date.now()) receivers.delete(id);
        else remaining.set(id, Math.max(0, capacity - running));
      }
      return remaining;
    },

    begin(id, isFailing) {
      const receiver = receivers.get(id) ?? {
        running: 0,
        capacity: limits.initialCapacity,
        idleSince: 0,
      };
      receivers.set(id, receiver);
      if (isFailing) receiver.capacity = 1;
      receiver.running += 1;
      quick += 1;
      if (isFailing) failing += 1;
      let isSlow = false;
      const slowTimer = setTimeout(() => {
        if (slow >= limits.slow) return;
        isSlow = true;
        slow += 1;
        quick -= 1;
        onCapacity();
      }, limits.quickMs);

      return {
        releaseReceiver(succeeded) {
          receiver.running -= 1;
          receiver.idleSince = Date.now();
          if (succeeded !== undefined) {
            receiver.capacity = succeeded
              ? Math.min(receiver.capacity * 2, limits.maxCapacity)
              : Math.max(1, Math.floor(receiver.capacity / 2));
          }
          onCapacity();
        },
        end() {
          clearTimeout(slowTimer);
          if (isSlow) slow -= 1;
          else quick -= 1;
          if (isFailing) failing -= 1;
          onCapacity();
        },
      };
    },
  };
}
