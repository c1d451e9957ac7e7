/**
 * Sessions: their message history, and the lease that lets one invocation at a time run in a session. The owner renews
 * the lease; once it expires, another invocation can acquire it.
 */
import { batched } from '../postgres/batched.js';
import type { Connection } from '../postgres/connection.js';
import type { Database } from '../postgres/database.js';
import { notify } from '../postgres/notify.sql.js';
import { type HistoryMessage, type HistoryRequest, readHistories } from './history.sql.js';
import {
  type LeaseRequest,
  releaseSession,
  renewSession,
  type Session,
  sessionName,
  takeSessions,
} from './lease.sql.js';

export type { HistoryMessage, Session };

export interface SessionLeases {
  /** Returns false if another invocation holds the lease, which is then marked as waited for. */
  take: (session: Session, owner: string) => Promise<boolean>;
  /** Returns false if the lease is lost. */
  renew: (session: Session, owner: string) => Promise<boolean>;
  /** For an invocation that is not recorded; recording one releases the lease in the same transaction. */
  release: (session: Session, owner: string) => Promise<void>;
}

/** The NOTIFY channel for released leases that another invocation waits for. The payload is the `sessionKey`. */
export const sessionChannel = 'ahs_sessions';

export function sessionKey(session: Session): string {
  return `${session.agentId}:${sessionName(session)}`;
}

const sessionLeaseMs = 6_000;

export function createSessionLeases(database: Database, leaseMs = sessionLeaseMs): SessionLeases {
  const take = batched<LeaseRequest, boolean>(
    (requests) => takeSessions(database, requests, leaseMs),
    { keyOf: ({ session }) => session.accountId },
  );
  return {
    take: (session, owner) => take({ session, owner }),
    renew: (session, owner) => renewSession(database, session, owner, leaseMs),
    release: async (session, owner) => {
      const isAwaited = await releaseSession(database, session, owner);
      if (isAwaited) await notify(database, sessionChannel, [sessionKey(session)]);
    },
  };
}

/** Few enough that the longest histories of a batch do not block the event loop for long. */
const maxHistories = 8;

export type HistoryReader = (session: Session, exchanges: number) => Promise<HistoryMessage[]>;

/** Reads the latest exchanges of sessions, oldest first. */
export function createHistoryReader(database: Connection): HistoryReader {
  const read = batched<HistoryRequest, HistoryMessage[]>(
    (requests) => readHistories(database, requests),
    {
      keyOf: ({ session: { accountId, userId } }) => `${accountId} ${userId === null}`,
      maxItems: maxHistories,
    },
  );
  return async (session, exchanges) => (exchanges === 0 ? [] : read({ session, exchanges }));
}
