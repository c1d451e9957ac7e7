/**
 * The leases of sessions while invocations have them: renews them, and releases one with a notification if another waits.
 * Why SQL: they expire by the database's clock, which Prisma cannot write, and NOTIFY is sent in the statement that releases one.
 */
import type { Statement } from '../connection.js';
import type { Database } from '../database.js';
import { asyncCommit } from './fragments.js';
import { type Session, type SessionLease, sessionName } from './sessions-take.js';

/** The leases of an agent ($1) that their owners still hold: $2 names, $3 owners. Also by the list, so that any plan uses the index. */
const heldLeases = `
  unnest($2::text[], $3::text[]) AS held (name, owner)
  WHERE lease.agent_id = $1 AND lease.session_id = held.name AND lease.owner = held.owner AND lease.session_id = ANY ($2)`;

// Waits for nobody, since whoever records several may hold one and wait for another. What somebody has locked is still held as
// far as anybody can tell; the next renewal knows.
const renew: Statement = {
  name: 'session_leases_renew',
  text: `
    WITH ${asyncCommit},
    free AS MATERIALIZED (
      SELECT lease.session_id FROM async_commit, session_leases lease, ${heldLeases} FOR NO KEY UPDATE OF lease SKIP LOCKED
    ),
    renewed AS (
      UPDATE session_leases lease SET lease_until = now() + $4 * interval '1 ms'
        FROM free WHERE lease.agent_id = $1 AND lease.session_id = free.session_id AND lease.session_id = ANY ($2)
    )
    SELECT lease.owner FROM session_leases lease, ${heldLeases}`,
};

/** For sessions of one agent. Returns for each whether its owner still holds the lease. */
export async function renewSessions(
  database: Database,
  leases: readonly SessionLease[],
  leaseMs: number,
): Promise<boolean[]> {
  const names = leases.map(({ session }) => sessionName(session));
  const owners = leases.map(({ owner }) => owner);
  const values = [leases[0]?.session.agentId, names, owners, leaseMs];
  const held = await database.run<{ owner: string }>(renew, values);
  const holders = new Set(held.map(({ owner }) => owner));
  return owners.map((owner) => holders.has(owner));
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
