/**
 * Acquires the lease of a session if it is free; otherwise marks it as waited for.
 * Why SQL: a conditional ON CONFLICT DO UPDATE by the database's clock; Prisma's upsert supports neither.
 */
import type { Statement } from '../connection.js';
import type { Database } from '../database.js';
import { asyncCommit } from './fragments.js';

/** The same session id of two users is two sessions. */
export interface Session {
  agentId: string;
  userId: string | null;
  sessionId: string;
}

/** The name of a session within its agent, under which its lease is kept. */
export function sessionName({ userId, sessionId }: Pick<Session, 'userId' | 'sessionId'>): string {
  return userId === null ? sessionId : JSON.stringify([userId, sessionId]);
}

// Returns no row if another owner holds the lease and it is already marked. A crash of the database that loses a lease
// also loses its owner's work.
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
    RETURNING owner = $3 AS mine`,
};

export async function takeSession(
  database: Database,
  session: Session,
  owner: string,
  leaseMs: number,
): Promise<boolean> {
  const values = [session.agentId, sessionName(session), owner, leaseMs];
  const [lease] = await database.run<{ mine: boolean }>(take, values);
  return lease?.mine === true;
}
