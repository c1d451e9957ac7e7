/**
 * The lease of a session: an invocation takes it if it is free, renews it while it runs, and releases it.
 * Why SQL: leases expire by the database's clock, which Prisma can neither write nor compare with.
 */
import type { Queryable, Statement } from '../../postgres/connection.js';
import type { Database } from '../../postgres/database.js';
import { asyncCommit } from '../../postgres/fragments.sql.js';
import { type Held, leaseEnd } from '../../postgres/lease.sql.js';
import { jsonRows, type RowOf, rowsFrom } from '../../postgres/rows.sql.js';

/** The same session id of two users, or in two environments, identifies two sessions. */
export interface Session {
  accountId: string;
  agentId: string;
  userId: string | null;
  sessionId: string;
  /** Null: production. */
  environment: string | null;
}

/** Identifies a session within its agent; stored as the `session_id` of its lease. */
export function sessionName({
  userId,
  sessionId,
  environment,
}: Pick<Session, 'userId' | 'sessionId' | 'environment'>): string {
  if (environment !== null) return JSON.stringify([userId, sessionId, environment]);
  return userId === null ? sessionId : JSON.stringify([userId, sessionId]);
}

/** An invocation that has the lease of a session, or needs it. */
export type HeldSession = Held<{ session: Session }>;

export interface LeaseRequest extends HeldSession {
  /** The number of exchanges of the history. */
  exchanges: number;
}

/** Of the statements that take several leases. */
const sessionColumns = { agentId: 'text', name: 'text', owner: 'text' };

// $1 account, $2 requests, sorted to avoid deadlocks. Marks a lease that is held as waited for. Returns no row if it is already marked,
// unless its owner takes it again. The commit may be asynchronous: a crash that loses a lease also loses its owner's work. Expiry is
// computed from the time in the new row, and the lease's length is part of the text, because Citus accepts neither now() nor parameters
// in DO UPDATE.
const take = (leaseMs: number): Statement => {
  const isExpired = `excluded.lease_until - lease.lease_until >= interval '${leaseMs} ms'`;
  return {
    name: `session_lease_take_${leaseMs}`,
    text: `
      INSERT INTO session_leases AS lease (account_id, agent_id, session_id, owner, lease_until)
      SELECT $1::text, "agentId", name, owner, now() + interval '${leaseMs} ms'
        FROM ${rowsFrom('$2', 'request', sessionColumns)}, ${asyncCommit}
       ORDER BY "agentId", name
      ON CONFLICT (account_id, agent_id, session_id) DO UPDATE SET
        owner = CASE WHEN ${isExpired} THEN excluded.owner ELSE lease.owner END,
        lease_until = CASE WHEN ${isExpired} THEN excluded.lease_until ELSE lease.lease_until END,
        waited = NOT (${isExpired})
      WHERE ${isExpired} OR NOT lease.waited OR lease.owner = excluded.owner
      RETURNING owner`,
  };
};

/** Takes the leases of different sessions of one account. Returns the owners that now hold one. */
export async function takeSessions(
  database: Database,
  requests: readonly LeaseRequest[],
  leaseMs: number,
): Promise<Set<string>> {
  const rows = requests.map(({ session, owner }) => ({
    agentId: session.agentId,
    name: sessionName(session),
    owner,
  }));
  const values = [requests[0]?.session.accountId, jsonRows(sessionColumns, rows)];
  const held = await database.run<{ owner: string }>(take(leaseMs), values);
  return new Set(held.map(({ owner }) => owner));
}

const renew: Statement = {
  name: 'session_lease_renew',
  text: `
    UPDATE session_leases SET lease_until = ${leaseEnd('$5')} FROM ${asyncCommit}
     WHERE account_id = $1 AND agent_id = $2 AND session_id = $3 AND owner = $4
    RETURNING 1`,
};

/** Returns false if the owner no longer holds the lease. */
export async function renewSession(
  database: Database,
  { session, owner }: HeldSession,
  leaseMs: number,
): Promise<boolean> {
  const values = [session.accountId, session.agentId, sessionName(session), owner, leaseMs];
  return (await database.run(renew, values)).length > 0;
}

/** The notification's payload; must match `sessionKey`. */
export const sessionKeySql = (lease: string) => `${lease}.agent_id || ':' || ${lease}.session_id`;

const release: Statement = {
  name: 'session_lease_release',
  text: `
    DELETE FROM session_leases lease USING ${asyncCommit}
     WHERE account_id = $1 AND agent_id = $2 AND session_id = $3 AND owner = $4
    RETURNING waited`,
};

/** Returns whether another invocation waits for it. */
export async function releaseSession(
  database: Database,
  { session, owner }: HeldSession,
): Promise<boolean> {
  const values = [session.accountId, session.agentId, sessionName(session), owner];
  const [released] = await database.run<{ waited: boolean }>(release, values);
  return released?.waited === true;
}

export type SessionRow = RowOf<typeof sessionColumns>;

// $1 account, $2 rows. The ANY conditions make every plan use the index of the key: the table fills within seconds, while the plan may
// be from when it was empty.
const releaseMany: Statement = {
  name: 'invocations_release_sessions',
  text: `
    WITH held AS MATERIALIZED (
      SELECT * FROM ${rowsFrom('$2', 'h', sessionColumns)} ORDER BY "agentId", name
    )
    DELETE FROM session_leases l USING held h
     WHERE l.account_id = $1 AND l.agent_id = h."agentId" AND l.session_id = h.name AND l.owner = h.owner
       AND l.agent_id = ANY (ARRAY(SELECT "agentId" FROM held)) AND l.session_id = ANY (ARRAY(SELECT name FROM held))
    RETURNING CASE WHEN l.waited THEN ${sessionKeySql('l')} END AS awaited`,
};

/** Returns a row for each session that its owner still held, with its key if another invocation waits for it. */
export function releaseSessions(
  database: Queryable,
  accountId: string,
  rows: readonly SessionRow[],
): Promise<{ awaited: string | null }[]> {
  return database.run(releaseMany, [accountId, jsonRows(sessionColumns, rows)]);
}
