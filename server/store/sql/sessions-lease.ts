/**
 * The lease of a session while an invocation has it: renews it, and releases it with a notification if another one waits.
 * Why SQL: it expires by the database's clock, which Prisma cannot write, and NOTIFY is sent in the statement that releases it.
 */
import type { Statement } from '../connection.js';
import type { Database } from '../database.js';
import { asyncCommit } from './fragments.js';
import { type Session, sessionName } from './sessions-take.js';

const renew: Statement = {
  name: 'session_lease_renew',
  text: `
    WITH ${asyncCommit}
    UPDATE session_leases SET lease_until = now() + $4 * interval '1 ms'
      FROM async_commit
     WHERE agent_id = $1 AND session_id = $2 AND owner = $3
    RETURNING 1`,
};

/** Returns false if the lease is lost. */
export async function renewSession(
  database: Database,
  session: Session,
  owner: string,
  leaseMs: number,
): Promise<boolean> {
  const renewed = await database.run(renew, [
    session.agentId,
    sessionName(session),
    owner,
    leaseMs,
  ]);
  return renewed.length > 0;
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
