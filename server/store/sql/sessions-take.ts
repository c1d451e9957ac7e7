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

/** Of an invocation that has it, or wants to. */
export interface SessionLease {
  session: Session;
  owner: string;
}

// $2 names and $3 owners. Returns nothing of a lease that another owner holds and that is already marked. In the order of names,
// as they are locked by whoever records. A crash of the database that loses a lease also loses its owner's work.
const take: Statement = {
  name: 'session_lease_take',
  text: `
    WITH ${asyncCommit}
    INSERT INTO session_leases AS lease (agent_id, session_id, owner, lease_until)
    SELECT $1, wanted.name, wanted.owner, now() + $4 * interval '1 ms'
      FROM async_commit, unnest($2::text[], $3::text[]) AS wanted (name, owner)
     ORDER BY wanted.name
    ON CONFLICT (agent_id, session_id) DO UPDATE SET
      owner = CASE WHEN lease.lease_until <= now() THEN excluded.owner ELSE lease.owner END,
      lease_until = CASE WHEN lease.lease_until <= now() THEN excluded.lease_until ELSE lease.lease_until END,
      waited = lease.lease_until > now()
    WHERE lease.lease_until <= now() OR NOT lease.waited
    RETURNING owner`,
};

/** For different sessions of an agent. Returns for each whether its owner has the lease now. */
export async function takeSessions(
  database: Database,
  takes: readonly SessionLease[],
  leaseMs: number,
): Promise<boolean[]> {
  const agentId = takes[0]?.session.agentId;
  const names = takes.map(({ session }) => sessionName(session));
  const owners = takes.map(({ owner }) => owner);
  const leases = await database.run<{ owner: string }>(take, [agentId, names, owners, leaseMs]);
  const holders = new Set(leases.map((lease) => lease.owner));
  return owners.map((owner) => holders.has(owner));
}
