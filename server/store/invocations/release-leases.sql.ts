/**
 * Releases the leases of finished invocations of one account: a worker's claim, a session's lease, and an Idempotency-Key, whose
 * record gets the response that repeats receive.
 * Why SQL: one round trip checks and changes three tables for a batch, with row locks, which Prisma does not have.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import { sessionKeySql } from '../sessions/lease.sql.js';

/** A lease that is null or undefined is not held. */
export interface LeaseHolderRow {
  /** The position in the batch. */
  n: number;
  id: string;
  agentId: string;
  /** The worker that must still hold an asynchronous invocation; its row then gets the outcome. */
  worker: string | null;
  deploymentId: string | null;
  model: string;
  status: string;
  /** False: the row does not keep the user, the session or the context. */
  remember: boolean;
  tokensUsed: number | null;
  durationMs: number;
  errorCode: string | null;
  finishedAt: Date;
  /** The session whose lease is released if the owner still holds it. */
  sessionName: string | null;
  sessionOwner: string | null;
  /** The idempotency record, its owner and its response; bytes are in hexadecimal. Without a status, the key is released. */
  key: string | undefined;
  keyOwner: string | null | undefined;
  keyStatus: number | undefined;
  keyResponse: string | undefined;
}

/** Whether an invocation still held each lease. The first false one is the reason why nothing must be written. */
export interface LeaseVerdict {
  worker: boolean;
  session: boolean;
  key: boolean;
  /** The released session, if another invocation waits for it. */
  awaitedSession: string | null;
}

// $1 invocations, $2 account. Leases are checked in the order in which all code locks them, to avoid deadlocks. Each is released when it is
// checked: an invocation that fails a later check no longer needs it. The ANY conditions on keys make every plan use the index: the tables
// fill within seconds, while the plan may be from when they were empty.
const release: Statement = {
  name: 'invocations_release_leases',
  text: `
    WITH held AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1::json) AS h (
        n int, id text, "agentId" text, worker text, "deploymentId" text, model text, status invocation_status, remember boolean,
        "tokensUsed" int, "durationMs" int, "errorCode" text, "finishedAt" timestamptz, "sessionName" text, "sessionOwner" text,
        key bytea, "keyOwner" text, "keyStatus" int, "keyResponse" bytea)
    ),
    claimed AS MATERIALIZED (
      SELECT id, lease_owner FROM invocations
       WHERE account_id = $2 AND agent_id = ANY (ARRAY(SELECT "agentId" FROM held WHERE worker IS NOT NULL))
         AND id = ANY (ARRAY(SELECT id FROM held WHERE worker IS NOT NULL)) AND status = 'running'
         FOR UPDATE
    ),
    at_work AS MATERIALIZED (
      SELECT * FROM held WHERE worker IS NULL OR (id, worker) IN (SELECT id, lease_owner FROM claimed)
    ),
    released AS (
      DELETE FROM session_leases l
       USING (SELECT * FROM at_work WHERE "sessionOwner" IS NOT NULL ORDER BY "agentId", "sessionName") h
       WHERE l.account_id = $2 AND l.agent_id = h."agentId" AND l.session_id = h."sessionName" AND l.owner = h."sessionOwner"
         AND l.agent_id = ANY (ARRAY(SELECT "agentId" FROM at_work))
         AND l.session_id = ANY (ARRAY(SELECT "sessionName" FROM at_work))
      RETURNING h.n, CASE WHEN l.waited THEN ${sessionKeySql('l')} END AS awaited
    ),
    in_session AS MATERIALIZED (
      SELECT * FROM at_work WHERE "sessionOwner" IS NULL OR n IN (SELECT n FROM released)
    ),
    answered AS (
      UPDATE idempotency_records r
         SET state = 'completed', response_status = h."keyStatus", sealed_response = h."keyResponse"
        FROM (SELECT * FROM in_session WHERE "keyStatus" IS NOT NULL ORDER BY key) h
       WHERE r.account_id = $2 AND r.id = h.key
         AND (r.owner = h."keyOwner" AND r.state = 'running' OR h."keyOwner" IS NULL AND r.state = 'completed')
         AND r.id = ANY (ARRAY(SELECT key FROM in_session))
      RETURNING h.n
    ),
    freed AS (
      DELETE FROM idempotency_records r
       USING (SELECT * FROM in_session WHERE key IS NOT NULL AND "keyStatus" IS NULL ORDER BY key) h
       WHERE r.account_id = $2 AND r.id = h.key AND (r.owner = h."keyOwner" AND r.state = 'running' OR h."keyOwner" IS NULL)
         AND r.id = ANY (ARRAY(SELECT key FROM in_session))
      RETURNING h.n
    ),
    good AS MATERIALIZED (
      SELECT * FROM in_session WHERE "keyOwner" IS NULL OR n IN (SELECT n FROM answered UNION ALL SELECT n FROM freed)
    ),
    finished AS (
      UPDATE invocations v
         SET deployment_id = g."deploymentId", model = g.model, status = g.status, message = NULL,
             user_id = CASE WHEN g.remember THEN v.user_id END, session_id = CASE WHEN g.remember THEN v.session_id END,
             context = CASE WHEN g.remember THEN v.context END,
             tokens_used = g."tokensUsed", duration_ms = g."durationMs", error_code = g."errorCode", available_at = NULL,
             lease_owner = NULL, finished_at = g."finishedAt"
        FROM good g WHERE v.account_id = $2 AND v.agent_id = g."agentId" AND v.id = g.id AND g.worker IS NOT NULL
    )
    SELECT n IN (SELECT n FROM at_work) AS worker, n IN (SELECT n FROM in_session) AS session, n IN (SELECT n FROM good) AS key,
           (SELECT awaited FROM released WHERE released.n = held.n) AS "awaitedSession"
      FROM held
     ORDER BY n`,
};

/** The verdicts are in the order of the rows. */
export function releaseInvocationLeases(
  database: Queryable,
  accountId: string,
  rows: readonly LeaseHolderRow[],
): Promise<LeaseVerdict[]> {
  return database.run<LeaseVerdict & object>(release, [JSON.stringify(rows), accountId]);
}
