/**
 * Decides how many attempts may run, in all and to each receiver, so that receivers which hang cost the others nothing:
 * a receiver begins with few attempts at a time and earns more with each success; each failure halves that; an
 * attempt that takes long moves out of the way of the quick ones; and those that fail share a limit of their own.
 */

export interface Limits {
  /** Attempts at a time that have only just begun. */
  quick: number;
  /** Attempts at a time, besides those, that have been running for longer than `quickMs`. */
  slow: number;
  quickMs: number;
  /** Attempts at a time to receivers whose last attempt failed. */
  failing: number;
  /** Attempts at a time to one receiver: at first, and at most. */
  firstRoom: number;
  lastRoom: number;
}

export const usualLimits: Limits = {
  quick: 256,
  slow: 1_000,
  quickMs: 1_000,
  failing: 500,
  firstRoom: 2,
  lastRoom: 16,
};

export interface Receivers {
  /** How many attempts may begin now. */
  free: () => number;
  /** How many attempts may begin to each receiver that is not given the first room. */
  rooms: () => Map<string, number>;
  canTakeFailing: () => boolean;
  begin: (receiver: string, isFailing: boolean) => RunningAttempt;
}

export interface RunningAttempt {
  /** The receiver is free again. Undefined: what happened says nothing about it. */
  leaveReceiver: (succeeded: boolean | undefined) => void;
  /** Everything is done that was to be done about the attempt. */
  end: () => void;
}

interface Receiver {
  running: number;
  room: number;
  idleSince: number;
}

const forgetAfterMs = 60_000;

/** `onRoom` is told whenever there is more room than before. */
export function trackReceivers(onRoom: () => void, limits: Limits = usualLimits): Receivers {
  const receivers = new Map<string, Receiver>();
  let quick = 0;
  let slow = 0;
  let failing = 0;

  return {
    free: () => limits.quick - quick,
    canTakeFailing: () => failing < limits.failing,

    rooms() {
      const rooms = new Map<string, number>();
      for (const [id, { running, room, idleSince }] of receivers) {
        if (running === 0 && idleSince + forgetAfterMs < Date.now()) receivers.delete(id);
        else rooms.set(id, Math.max(0, room - running));
      }
      return rooms;
    },

    begin(id, isFailing) {
      const receiver = receivers.get(id) ?? { running: 0, room: limits.firstRoom, idleSince: 0 };
      receivers.set(id, receiver);
      if (isFailing) receiver.room = 1;
      receiver.running += 1;
      quick += 1;
      if (isFailing) failing += 1;
      let isSlow = false;
      const stepAside = setTimeout(() => {
        if (slow >= limits.slow) return;
        isSlow = true;
        slow += 1;
        quick -= 1;
        onRoom();
      }, limits.quickMs);

      return {
        leaveReceiver(succeeded) {
          receiver.running -= 1;
          receiver.idleSince = Date.now();
          if (succeeded !== undefined) {
            receiver.room = succeeded
              ? Math.min(receiver.room * 2, limits.lastRoom)
              : Math.max(1, Math.floor(receiver.room / 2));
          }
          onRoom();
        },
        end() {
          clearTimeout(stepAside);
          if (isSlow) slow -= 1;
          else quick -= 1;
          if (isFailing) failing -= 1;
          onRoom();
        },
      };
    },
  };
}
