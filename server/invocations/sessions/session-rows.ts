/**
 * Sessions: their message history, and the lease that lets one invocation at a time run in a session. The owner renews
 * the lease; once it expires, another invocation can acquire it.
 */
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
