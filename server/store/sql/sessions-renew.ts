/**
 * Renews the lease of a session.
 * Why SQL: the lease expires by the database's clock, which Prisma cannot write.
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
