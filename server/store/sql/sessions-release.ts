/**
 * Releases the lease of a session, and notifies if another invocation waits for it.
 * Why SQL: the deleted row says whether one waits, and NOTIFY is sent in the same statement.
 */
import type { Statement } from '../connection.js';
import type { Database } from '../database.js';
import { asyncCommit } from './fragments.js';
import { type Session, sessionName } from './sessions-take.js';

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
