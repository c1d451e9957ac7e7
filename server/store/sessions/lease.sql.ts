/**
 * The lease of a session: an invocation takes it if it is free, renews it while it runs, and releases it with a notification if
 * another invocation waits for it.
 * Why SQL: leases expire by the database's clock, which Prisma can neither write nor compare with, and NOTIFY is sent in the
 * statement that releases one.
 */
import type { Statement } from '../postgres/connection.js';
import type { Database } from '../postgres/database.js';
import { asyncCommit } from '../postgres/fragments.sql.js';

/** The same session id of two users is two sessions. */
export interface Session {
  accountId: string;
  agentId: string;
  userId: string | null;
  sessionId: string;
}

/** The name of a session within its agent, under which its lease is kept. */
export function sessionName({ userId, sessionId }: Pick<Session, 'userId' | 'sessionId'>): string {
  return userId === null ? sessionId : JSON.stringify([userId, sessionId]);
}

// Marks a lease that another owner holds as waited for. Returns nothing if it is marked already. A crash of the database that
// loses a lease also loses its owner's work.
const take: Statement = {
  name: 'session_lease_take',
  text: `
    WITH ${asyncCommit}
    INSERT INTO session_leases AS lease (agent_id, session_id, owner, lease_until)
    SELECT $1, $2, $3, now() + $4 * interval '1 ms' FROM async_commit
    ON CONFLICT (agent_id, session_id) DO UPDATE SET
      owner = CASE WHEN lease.lease_until <= now() THEN excluded.owner ELSE lease.owner END,
      lease_until = CASE WHEN lease.lease_until <= now() THEN excluded.lease_until ELSE lease.lease_until END,
      waited = lease.lease_until > now()
    WHERE lease.lease_until <= now() OR NOT lease.waited
    RETURNING owner`,
};

/** Returns whether the owner has the lease now. */
export async function takeSession(
  database: Database,
  session: Session,
  owner: string,
  leaseMs: number,
): Promise<boolean> {
  const values = [session.agentId, sessionName(session), owner, leaseMs];
  const [lease] = await database.run<{ owner: string }>(take, values);
  return lease?.owner === owner;
}

const renew: Statement = {
  name: 'session_lease_renew',
  text: `
    WITH ${asyncCommit}
    UPDATE session_leases SET lease_until = now() + $4 * interval '1 ms' FROM async_commit
     WHERE agent_id = $1 AND session_id = $2 AND owner = $3
    RETURNING 1`,
};

/** Returns false if the owner holds the lease no longer. */
export async function renewSession(
  database: Database,
  session: Session,
  owner: string,
  leaseMs: number,
): Promise<boolean> {
  const values = [session.agentId, sessionName(session), owner, leaseMs];
  return (await database.run(renew, values)).length > 0;
}

/** The notification's payload; must match `sessionKey`. */
export const sessionKeySql = (lease: string) => `${lease}.agent_id || ':' || ${lease}.session_id`;

const release: Statement = {
  name: 'session_lease_release',
  text: `
    WITH ${asyncCommit},
    released AS (
      DELETE FROM session_leases lease USING async_commit
       WHERE agent_id = $1 AND session_id = $2 AND owner = $3
      RETURNING ${sessionKeySql('lease')} AS session, waited
    )
    SELECT pg_notify($4, session) FROM released WHERE waited`,
};

export async function releaseSession(
  database: Database,
  session: Session,
  owner: string,
  channel: string,
): Promise<void> {
  await database.run(release, [session.agentId, sessionName(session), owner, channel]);
}
