/**
 * Sessions: their message history, and the lease that lets one invocation at a time run in a session. The owner renews
 * the lease; once it expires, another invocation can acquire it.
 */
import { type FairQueue, inSlot } from '../lib/fair-queue.js';
import type { Turns } from '../lib/turns.js';
import { restForCompany } from './batched.js';
import { batchedBy } from './batched-by.js';
import type { Queryable } from './connection.js';
import type { Database } from './database.js';
import {
  historyGroup,
  type HistoryMessage,
  readHistory,
  readShortHistories,
  shortHistoryBytes,
} from './sql/sessions-history.js';
import { releaseSession, renewSessions } from './sql/sessions-lease.js';
import { type Session, type SessionLease, sessionName, takeSessions } from './sql/sessions-take.js';

export type { HistoryMessage, Session };

export interface SessionLeases {
  /** False: another invocation holds the lease, which is now marked as waited for. */
  take: (session: Session, owner: string) => Promise<boolean>;
  /** Returns false if the lease is lost. */
  renew: (session: Session, owner: string) => Promise<boolean>;
  /** For an invocation that is not recorded; recording one releases the lease in the same transaction. */
  release: (session: Session, owner: string) => Promise<void>;
}

/** The NOTIFY channel for released leases that are waited for; the payload is the `sessionKey`. */
export const sessionChannel = 'ahs_sessions';

export function sessionKey(session: Session): string {
  return `${session.agentId}:${sessionName(session)}`;
}

const sessionLeaseMs = 6_000;

/** Leases of one agent are taken and renewed together, so that no agent waits for what another locks. */
export function createSessionLeases(database: Database, leaseMs = sessionLeaseMs): SessionLeases {
  const agentOf = ({ session }: SessionLease) => session.agentId;
  const take = batchedBy<SessionLease, boolean>(
    agentOf,
    (leases) => takeSessions(database, leases, leaseMs),
    { restMs: restForCompany },
  );
  const renew = batchedBy<SessionLease, boolean>(agentOf, (leases) =>
    renewSessions(database, leases, leaseMs),
  );
  return {
    take: (session, owner) => take({ session, owner }),
    renew: (session, owner) => renew({ session, owner }),
    release: (session, owner) => releaseSession(database, session, owner, sessionChannel),
  };
}

/** Reads the latest exchanges of a session, oldest first. */
export type ReadHistory = (
  session: Session & { accountId: string },
  exchanges: number,
  /** What is waited for no longer is not read. */
  signal?: AbortSignal,
) => Promise<HistoryMessage[]>;

/** A longer one occupies the database and the event loop for a while. */
const usualHistoryBytes = 500_000;

/** Short histories of one agent are read together, longer ones by themselves, and very long ones of an account one at a time. */
export function createHistories(
  database: Queryable,
  takeTurn: Turns,
  slots: FairQueue,
): ReadHistory {
  const readShort = batchedBy(historyGroup, (reads) =>
    readShortHistories(database, reads, shortHistoryBytes),
  );
  return async (session, exchanges, signal) => {
    if (exchanges === 0) return [];
    const read = { session, exchanges };
    const short = await readShort(read);
    if (short !== 'longer') return short;
    const [usual = 'longer'] = await inSlot(slots, session.accountId, () =>
      readShortHistories(database, [read], usualHistoryBytes),
    );
    if (usual !== 'longer') return usual;
    return takeTurn(session.accountId, () => {
      signal?.throwIfAborted();
      return readHistory(database, session, exchanges);
    });
  };
}
