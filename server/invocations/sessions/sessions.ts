/**
 * Sessions: their message history, and the lease under which one message at a time runs in a session, on whatever instance. The owner
 * renews the lease; once it expires, another invocation can acquire it. Waiting holds no database connection: a waiter is woken when the
 * lease is released, and polls in case the notification was lost.
 */
import { orAborted } from '../../lib/async/abort.js';
import { retryInBackground } from '../../lib/async/retry-in-background.js';
import { createWakeUp, type WakeUp } from '../../lib/async/wake-up.js';
import { batched } from '../../postgres/batched.js';
import type { Database } from '../../postgres/database.js';
import { notify } from '../../postgres/notify.sql.js';
import { type HistoryMessage, readHistories } from './history.sql.js';
import {
  type HeldSession,
  type LeaseRequest,
  releaseSession,
  renewSession,
  type Session,
  sessionName,
  takeSessions,
} from './lease.sql.js';

export interface SessionLeases {
  /**
   * Returns the latest exchanges of the session, oldest first. Returns null if another invocation holds the lease, which is then marked
   * as waited for.
   */
  take: (request: LeaseRequest) => Promise<HistoryMessage[] | null>;
  /** Returns false if the lease is lost. */
  renew: (held: HeldSession) => Promise<boolean>;
  /** For an invocation that is not recorded; recording one releases the lease in the same transaction. */
  release: (held: HeldSession) => Promise<void>;
}

/** The NOTIFY channel for released leases that another invocation waits for. The payload is the `sessionKey`. */
export const sessionChannel = 'ahs_sessions';

export function sessionKey(session: Session): string {
  return `${session.agentId}:${sessionName(session)}`;
}

const sessionLeaseMs = 6_000;

/** Few enough that the longest histories of a batch do not block the event loop for long. */
const maxBatch = 8;

export function createSessionLeases(database: Database, leaseMs = sessionLeaseMs): SessionLeases {
  const take = batched<LeaseRequest, HistoryMessage[] | null>(
    async (requests) => {
      // If the histories cannot be read, taking the leases again succeeds.
      const owners = await takeSessions(database, requests, leaseMs);
      const histories = await readHistories(
        database,
        requests.filter(({ owner }) => owners.has(owner)),
      );
      return requests.map(({ owner }) => histories.get(owner) ?? null);
    },
    { keyOf: ({ session }) => session.accountId, maxItems: maxBatch },
  );
  return {
    take,
    renew: (held) => renewSession(database, held, leaseMs),
    release: async (held) => {
      const isAwaited = await releaseSession(database, held);
      if (isAwaited) await notify(database, sessionChannel, [sessionKey(held.session)]);
    },
  };
}

export interface Sessions {
  /** Resolves when the owner holds the lease. Rejects with the signal's reason if the signal aborts first. */
  acquire: (request: LeaseRequest, options: AcquireOptions) => Promise<SessionLease>;
  /** Call when the lease of a session was released. */
  wake: (key: string) => void;
  /** Call when notifications may have been missed. */
  wakeAll: () => void;
}

interface AcquireOptions {
  signal: AbortSignal;
  /** Called when the lease expired and another process acquired it. */
  onLost: () => void;
}

export interface SessionLease {
  owner: string;
  /** The latest exchanges of the session when the lease was acquired, oldest first. */
  history: HistoryMessage[];
  /** Stops renewing the lease, which is then released in the transaction that records the outcome. */
  stopRenewal: () => void;
  /** Releases the lease if no outcome is recorded. Never rejects: at the latest, the lease expires. */
  release: () => Promise<void>;
}

interface SessionOptions {
  renewEveryMs?: number;
  pollEveryMs?: number;
}

/** After this many attempts with their pauses, the lease has expired anyway. */
const maxReleases = 8;

export function createSessions(
  leases: SessionLeases,
  { renewEveryMs = 1_500, pollEveryMs = 500 }: SessionOptions = {},
): Sessions {
  const wakeUps = new Map<string, WakeUp>();
  const queues = new Map<string, Promise<void>>();

  const release = (request: LeaseRequest) =>
    retryInBackground(() => leases.release(request), { maxAttempts: maxReleases });

  /** Releases the lease on an error, since the statement may have been committed before the connection was lost. */
  const take = (request: LeaseRequest) =>
    leases.take(request).catch(async (error: unknown) => {
      await release(request);
      throw error;
    });

  const takeWhenFree = async (request: LeaseRequest, signal: AbortSignal) => {
    const key = sessionKey(request.session);
    const wakeUp = createWakeUp();
    wakeUps.set(key, wakeUp);
    try {
      for (;;) {
        const history = await take(request);
        if (history) return history;
        // With jitter, so that instances do not poll in step.
        await wakeUp.wait(pollEveryMs * (0.5 + Math.random()), signal);
      }
    } finally {
      wakeUps.delete(key);
    }
  };

  /** A first-in, first-out queue on this instance: only its head competes for the lease with other instances. */
  const inOrder = <Result>(key: string, signal: AbortSignal, take: () => Promise<Result>) => {
    const previous = queues.get(key);
    const taken = (previous ? orAborted(previous, signal) : Promise.resolve()).then(take);
    const settled = Promise.allSettled([previous, taken]).then(() => {
      if (queues.get(key) === settled) queues.delete(key);
    });
    queues.set(key, settled);
    return taken;
  };

  return {
    async acquire(request, { signal, onLost }) {
      const { session, owner } = request;
      const history = await inOrder(sessionKey(session), signal, () =>
        takeWhenFree(request, signal),
      );
      let isRenewed = true;
      const renewal = setInterval(() => {
        // A failed renewal is retried at the next tick. If another process takes over the expired lease, the outcome is not recorded.
        leases.renew(request).then(
          (isHeld) => {
            // Recording the outcome may have released the lease in the meantime.
            if (!isHeld && isRenewed) onLost();
          },
          () => undefined,
        );
      }, renewEveryMs);
      const stopRenewal = () => {
        isRenewed = false;
        clearInterval(renewal);
      };
      return {
        owner,
        history,
        stopRenewal,
        release: async () => {
          stopRenewal();
          await release(request);
        },
      };
    },
    wake: (key) => wakeUps.get(key)?.wake(),
    wakeAll: () => {
      for (const wakeUp of wakeUps.values()) wakeUp.wake();
    },
  };
}
