/**
 * Acquires the lease of a session if it is free; otherwise marks it as waited for.
 * Why SQL: a conditional ON CONFLICT DO UPDATE by the database's clock; Prisma's upsert supports neither.
 */
import type { Statement } from '../connection.js';
import type { Database } from '../database.js';
import { asyncCommit } from './fragments.js';

export interface Session {
  agentId: string;
  sessionId: string;
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
  { agentId, sessionId }: Session,
  owner: string,
  leaseMs: number,
): Promise<boolean> {
  const values = [agentId, sessionId, owner, leaseMs];
  const [lease] = await database.run<{ mine: boolean }>(take, values);
  return lease?.mine === true;
}
