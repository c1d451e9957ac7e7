/**
 * Sessions: what was said in them, and who may speak now, by a lease that its owner renews and that is anybody's once its
 * time is over.
 */
import type { Database } from './database.js';
import { releaseSession } from './sql/sessions-release.js';
import { renewSession } from './sql/sessions-renew.js';
import { type Session, takeSession } from './sql/sessions-take.js';

export { type HistoryMessage, readHistory } from './sql/sessions-history.js';
export type { Session };

export interface SessionLeases {
  /** False: somebody else speaks, and the lease now says that it is waited for. */
  take: (session: Session, owner: string) => Promise<boolean>;
  /** False: the lease is lost. */
  renew: (session: Session, owner: string) => Promise<boolean>;
  /** For an invocation that leaves no record; any other gives the lease up in its own transaction. */
  release: (session: Session, owner: string) => Promise<void>;
}

/** On which the release of a lease that is waited for is announced, with the session as `sessionKey` writes it. */
export const sessionChannel = 'ahs_sessions';

export function sessionKey({ agentId, sessionId }: Session): string {
  return `${agentId}:${sessionId}`;
}

const sessionLeaseMs = 10_000;

export function createSessionLeases(database: Database, leaseMs = sessionLeaseMs): SessionLeases {
  return {
    take: (session, owner) => takeSession(database, session, owner, leaseMs),
    renew: (session, owner) => renewSession(database, session, owner, leaseMs),
    release: (session, owner) => releaseSession(database, session, owner, sessionChannel),
  };
}
