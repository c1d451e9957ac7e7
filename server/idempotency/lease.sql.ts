/**
 * The lease of an idempotency record whose request is running: renews it, records that a client follows the stream, and ends it.
 * Why SQL: leases expire by the database's clock, which Prisma can neither write nor compare with.
 *
 * A request that has acted outside of the database, by calling tools, still runs but has a response already, which repeats get if it
 * never ends. Its record is never taken over or deleted, since a second run would act again.
 */
import type { Queryable, Statement } from '../postgres/connection.js';
import { asyncCommit } from '../postgres/fragments.sql.js';
import { leaseEnd } from '../postgres/lease.sql.js';
import type { Claim } from '../accounts/operation-context.js';

const renew: Statement = {
  name: 'idempotency-renew',
  text: `
    UPDATE idempotency_records SET lease_until = ${leaseEnd('$4')}
      FROM (SELECT now() AS now) AS clock
     WHERE account_id = $1 AND id = $2 AND owner = $3 AND state = 'running'
    RETURNING (extract(epoch FROM clock.now - followed_at) * 1000)::float8 AS "sinceFollowedMs",
              stop_requested AS "stopRequested"`,
};

// The commit may be asynchronous: the statement is repeated regularly, and a crash also ends the run.
const follow: Statement = {
  name: 'idempotency-follow',
  text: `
    UPDATE idempotency_records SET followed_at = now() FROM ${asyncCommit}
     WHERE account_id = $1 AND id = $2 AND owner = $3 AND state = 'running' AND lease_until > now()
    RETURNING 1`,
};

export interface Renewal {
  /** How long ago another request last followed the stream. Null: none has. */
  sinceFollowedMs: number | null;
  /** Whether a client that followed the stream has asked to stop it. */
  stopRequested: boolean;
}

export async function renewRecord(
  database: Queryable,
  { accountId, id, owner }: Claim,
  leaseMs: number,
): Promise<Renewal | 'lost'> {
  const [renewal] = await database.run<Renewal & object>(renew, [accountId, id, owner, leaseMs]);
  return renewal ?? 'lost';
}

/** Returns false if the request no longer runs. */
export async function followRecord(
  database: Queryable,
  { accountId, id, owner }: Claim,
): Promise<boolean> {
  const followed = await database.run(follow, [accountId, id, owner]);
  return followed.length > 0;
}

const conclude: Statement = {
  name: 'idempotency-conclude',
  text: `
    UPDATE idempotency_records SET state = 'completed'
     WHERE account_id = $1 AND id = $2 AND owner = $3 AND state = 'running' AND response_status IS NOT NULL AND lease_until <= now()
    RETURNING 1`,
};

/**
 * Completes the record of a request that acted and whose process died, with the response that it left. If the process lives after all,
 * it can no longer store another one. Returns false if the request still runs.
 */
export async function concludeRecord(
  database: Queryable,
  { accountId, id, owner }: Claim,
): Promise<boolean> {
  return (await database.run(conclude, [accountId, id, owner])).length > 0;
}

const release: Statement = {
  name: 'idempotency-release',
  text: `
    WITH freed AS (
      DELETE FROM idempotency_records
       WHERE account_id = $1 AND id = $2 AND owner = $3 AND state = 'running' AND response_status IS NULL
    )
    UPDATE idempotency_records SET state = 'completed'
     WHERE account_id = $1 AND id = $2 AND owner = $3 AND state = 'running' AND response_status IS NOT NULL`,
};

/** Deletes the record of a request that failed, or completes it if the request has acted. */
export async function releaseRecord(
  database: Queryable,
  { accountId, id, owner }: Claim,
): Promise<void> {
  await database.run(release, [accountId, id, owner]);
}
