/**
 * Takes the lease of a session, if it is free; otherwise notes that somebody waits for it.
 * Why SQL: INSERT … ON CONFLICT DO UPDATE with conditions, by the clock of the database; Prisma's upsert has neither.
 */
import type { Statement } from '../connection.js';
import type { Database } from '../database.js';
import { asyncCommit } from './fragments.js';

export interface Session {
  agentId: string;
  sessionId: string;
}

// No row comes back if the lease is another's and already says that it is waited for. A lease that a crash of the
// database loses had an owner whose work was lost with it.
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
  { agentId, sessionId }: Session,
  owner: string,
  leaseMs: number,
): Promise<boolean> {
  const values = [agentId, sessionId, owner, leaseMs];
  const [lease] = await database.run<{ mine: boolean }>(take, values);
  return lease?.mine === true;
}
