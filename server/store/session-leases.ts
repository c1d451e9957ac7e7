/** Who may speak in a session now: a row that its owner renews, and that is anybody's once its time is over. */
import type { Sql, Statement } from './sql.js';

export interface Session {
  agentId: string;
  sessionId: string;
}

export interface SessionLeases {
  /** False: somebody else speaks, and the lease now says that it is waited for. */
  take: (session: Session, owner: string) => Promise<boolean>;
  /** False: the lease is lost. */
  renew: (session: Session, owner: string) => Promise<boolean>;
  /** For a turn that leaves no record; any other gives the lease up in its own transaction. */
  release: (session: Session, owner: string) => Promise<void>;
}

/** On which the release of a lease that is waited for is announced, with the session as `sessionKey` writes it. */
export const sessionChannel = 'ahs_sessions';

export function sessionKey({ agentId, sessionId }: Session): string {
  return `${agentId}:${sessionId}`;
}

/** The same key, in SQL. */
export const sessionKeySql = (lease: string) => `${lease}.agent_id || ':' || ${lease}.session_id`;

export const sessionLeaseMs = 10_000;

export function createSessionLeases(sql: Sql, leaseMs = sessionLeaseMs): SessionLeases {
  const values = ({ agentId, sessionId }: Session, owner: string) => [agentId, sessionId, owner];
  return {
    take: async (session, owner) => {
      const [lease] = await sql.run<{ mine: boolean }>(TAKE, [...values(session, owner), leaseMs]);
      return lease?.mine === true;
    },
    renew: async (session, owner) =>
      (await sql.run(RENEW, [...values(session, owner), leaseMs])).length > 0,
    release: async (session, owner) => {
      await sql.run(RELEASE, values(session, owner));
    },
  };
}

// None of these waits for the disk: a lease that a crash of the database loses had an owner whose turn was lost with it.
const quick = `quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))`;

// No row comes back if the lease is another's and already says that it is waited for.
const TAKE: Statement = {
  name: 'session_lease_take',
  text: `
    WITH ${quick}
    INSERT INTO session_leases AS lease (agent_id, session_id, owner, lease_until)
    SELECT $1, $2, $3, now() + $4 * interval '1 ms' FROM quick
    ON CONFLICT (agent_id, session_id) DO UPDATE SET
      owner = CASE WHEN lease.lease_until <= now() THEN excluded.owner ELSE lease.owner END,
      lease_until = CASE WHEN lease.lease_until <= now() THEN excluded.lease_until ELSE lease.lease_until END,
      waited = lease.lease_until > now()
    WHERE lease.lease_until <= now() OR NOT lease.waited
    RETURNING owner = $3 AS mine`,
};

const RENEW: Statement = {
  name: 'session_lease_renew',
  text: `
    WITH ${quick}
    UPDATE session_leases SET lease_until = now() + $4 * interval '1 ms'
      FROM quick
     WHERE agent_id = $1 AND session_id = $2 AND owner = $3
    RETURNING 1`,
};

const RELEASE: Statement = {
  name: 'session_lease_release',
  text: `
    WITH ${quick},
    released AS (
      DELETE FROM session_leases lease USING quick
       WHERE agent_id = $1 AND session_id = $2 AND owner = $3
      RETURNING ${sessionKeySql('lease')} AS session, waited
    )
    SELECT pg_notify('${sessionChannel}', session) FROM released WHERE waited`,
};
