/**
 * The record of an Idempotency-Key while its request runs: claims it, renews its lease, notes that a client follows the stream, and ends
 * it, alone or with those of other requests.
 * Why SQL: a conditional ON CONFLICT DO UPDATE, and leases that expire by the database's clock, which Prisma can neither write nor compare
 * with.
 *
 * A request that has acted outside of the database, by calling tools, has the invocation that it runs in its record. The record is never
 * deleted before it expires, and who takes it over goes on with that invocation, since a second one would act again.
 */
import type { IdempotencyRecord } from '../../generated/prisma/client.js';
import type { Claim } from '../accounts/operation-context.js';
import type { SettledKey } from './sealed-response.js';
import type { Queryable, Statement } from '../postgres/connection.js';
import { asyncCommit } from '../postgres/fragments.sql.js';
import { leaseEnd } from '../postgres/lease.sql.js';
import { columnsOf, jsonRows, rowsFrom, valuesOf } from '../postgres/rows.sql.js';

const claimColumns = {
  id: 'bytea',
  requestHash: 'bytea',
  owner: 'text',
  isStream: 'boolean',
} as const satisfies Partial<Record<keyof IdempotencyRecord, string>>;

export type NewClaim = Pick<IdempotencyRecord, 'accountId' | keyof typeof claimColumns>;

export interface ClaimTimes {
  leaseMs: number;
  keepMs: number;
}

// $1 account, $2 claims, sorted to avoid deadlocks. Of several with the same id, one gets the record. The commit may be
// asynchronous: a database crash that loses a record also loses the effect, which is committed later. Expiry is computed from the
// times in the new row, and the periods are part of the text, because Citus accepts neither now() nor parameters in DO UPDATE. Instances of
// 0.1.0 take over every record without a status, so that one that has acted keeps its own; it goes with the next release.
const begin = ({ leaseMs, keepMs }: ClaimTimes): Statement => {
  const isExpired = `excluded.expires_at - record.expires_at >= interval '${keepMs} ms'`;
  return {
    name: `idempotency-begin-${leaseMs}-${keepMs}`,
    text: `
    INSERT INTO idempotency_records AS record (account_id, ${columnsOf(claimColumns)}, state, lease_until, expires_at)
    SELECT DISTINCT ON (id) $1::text, ${valuesOf('claim', claimColumns)}, 'running'::idempotency_state,
           now() + interval '${leaseMs} ms', now() + interval '${keepMs} ms'
      FROM ${rowsFrom('$2', 'claim', claimColumns)}, ${asyncCommit}
     ORDER BY id
    ON CONFLICT (account_id, id) DO UPDATE SET
      request_hash = excluded.request_hash, state = 'running', owner = excluded.owner,
      lease_until = excluded.lease_until, expires_at = excluded.expires_at,
      response_status = CASE WHEN ${isExpired} THEN NULL ELSE record.response_status END,
      sealed_response = NULL, is_stream = excluded.is_stream, followed_at = NULL,
      stop_requested = false, request_id = CASE WHEN ${isExpired} THEN NULL ELSE record.request_id END
    WHERE ${isExpired}
       OR (record.state = 'running' AND (record.response_status IS NULL OR record.request_id IS NOT NULL)
           AND record.request_hash = excluded.request_hash
           AND excluded.lease_until - record.lease_until >= interval '${leaseMs} ms')
    RETURNING owner, request_id AS "requestId"`,
  };
};

export interface BegunRecord {
  isStarted: boolean;
  /** The invocation to go on with. */
  requestId: string | null;
}

/**
 * Inserts a record for each claim of one account, or takes it over if the record or the lease of the same request has expired. Returns for
 * each claim whether it got its record.
 */
export async function beginRecords(
  database: Queryable,
  claims: readonly NewClaim[],
  times: ClaimTimes,
): Promise<BegunRecord[]> {
  const values = [claims[0]?.accountId, jsonRows(claimColumns, claims)];
  const begun = await database.run<{ owner: string; requestId: string | null }>(
    begin(times),
    values,
  );
  const byOwner = new Map(begun.map(({ owner, requestId }) => [owner, requestId]));
  return claims.map(({ owner }) => ({
    isStarted: byOwner.has(owner),
    requestId: byOwner.get(owner) ?? null,
  }));
}

/** The first three parameters of the statements below. */
const ownedBy = ({ accountId, id, owner }: Claim) => [accountId, id, owner];

const renew: Statement = {
  name: 'idempotency-renew',
  text: `
    UPDATE idempotency_records SET lease_until = ${leaseEnd('$4')}
      FROM (SELECT now() AS now) AS clock
     WHERE account_id = $1 AND id = $2 AND owner = $3 AND state = 'running'
    RETURNING (extract(epoch FROM clock.now - followed_at) * 1000)::float8 AS "sinceFollowedMs",
              stop_requested AS "stopRequested"`,
};

export interface Renewal {
  /** How long ago another request last followed the stream. Null: none has. */
  sinceFollowedMs: number | null;
  /** Whether a client that followed the stream has asked to stop it. */
  stopRequested: boolean;
}

export async function renewRecord(
  database: Queryable,
  claim: Claim,
  leaseMs: number,
): Promise<Renewal | 'lost'> {
  const [renewal] = await database.run<Renewal & object>(renew, [...ownedBy(claim), leaseMs]);
  return renewal ?? 'lost';
}

// The commit may be asynchronous: the statement is repeated regularly, and a crash also ends the run.
const follow: Statement = {
  name: 'idempotency-follow',
  text: `
    UPDATE idempotency_records SET followed_at = now() FROM ${asyncCommit}
     WHERE account_id = $1 AND id = $2 AND owner = $3 AND state = 'running' AND lease_until > now()
    RETURNING 1`,
};

/** Returns false if the request no longer runs. */
export async function followRecord(database: Queryable, claim: Claim): Promise<boolean> {
  return (await database.run(follow, ownedBy(claim))).length > 0;
}

const conclude: Statement = {
  name: 'idempotency-conclude',
  text: `
    UPDATE idempotency_records SET state = 'completed'
     WHERE account_id = $1 AND id = $2 AND owner = $3 AND state = 'running' AND response_status IS NOT NULL AND request_id IS NULL
       AND lease_until <= now()
    RETURNING 1`,
};

/**
 * Completes the record of a request that acted on an instance of 0.1.0 and whose process died, with the response that it left in advance.
 * Returns false if the request still runs. It goes with the next release.
 */
export async function concludeRecord(database: Queryable, claim: Claim): Promise<boolean> {
  return (await database.run(conclude, ownedBy(claim))).length > 0;
}

const release: Statement = {
  name: 'idempotency-release',
  text: `
    WITH freed AS (
      DELETE FROM idempotency_records
       WHERE account_id = $1 AND id = $2 AND owner = $3 AND state = 'running' AND request_id IS NULL
    )
    UPDATE idempotency_records SET lease_until = now()
     WHERE account_id = $1 AND id = $2 AND owner = $3 AND state = 'running' AND request_id IS NOT NULL`,
};

/** Deletes the record of a request that failed. If the request has acted, a repeat may take the record over at once. */
export async function releaseRecord(database: Queryable, claim: Claim): Promise<void> {
  await database.run(release, ownedBy(claim));
}

const settledColumns = {
  id: 'bytea',
  owner: 'text',
  responseStatus: 'int',
  sealedResponse: 'bytea',
} as const satisfies Record<keyof SettledKey, string>;

// $1 account, $2 keys. The ANY conditions below make every plan use the index of the key: the table fills within seconds, while the plan
// may be from when it was empty.
const heldKeys = `
  held AS MATERIALIZED (
    SELECT * FROM ${rowsFrom('$2', 'h', settledColumns)} ORDER BY id
  )`;

const answer: Statement = {
  name: 'invocations_answer_keys',
  text: `
    WITH ${heldKeys}
    UPDATE idempotency_records r SET state = 'completed', response_status = h."responseStatus", sealed_response = h."sealedResponse"
      FROM held h
     WHERE r.account_id = $1 AND r.id = h.id AND r.id = ANY (ARRAY(SELECT id FROM held))
       AND (r.owner = h.owner AND r.state = 'running' OR h.owner IS NULL AND r.state = 'completed')
    RETURNING h.owner`,
};

const free: Statement = {
  name: 'invocations_free_keys',
  text: `
    WITH ${heldKeys}
    DELETE FROM idempotency_records r USING held h
     WHERE r.account_id = $1 AND r.id = h.id AND r.id = ANY (ARRAY(SELECT id FROM held))
       AND (r.owner = h.owner AND r.state = 'running' OR h.owner IS NULL)
    RETURNING h.owner`,
};

/** Stores the responses of keys, or releases keys without a response. Returns the number of those that their owner still held. */
export async function settleKeys(
  database: Queryable,
  accountId: string,
  keys: readonly SettledKey[],
): Promise<number> {
  const settle = async (statement: Statement, some: readonly SettledKey[]) =>
    some.length === 0
      ? []
      : database.run<{ owner: string | null }>(statement, [
          accountId,
          jsonRows(settledColumns, some),
        ]);
  const settled = [
    ...(await settle(
      answer,
      keys.filter(({ responseStatus }) => responseStatus !== null),
    )),
    ...(await settle(
      free,
      keys.filter(({ responseStatus }) => responseStatus === null),
    )),
  ];
  return settled.filter(({ owner }) => owner !== null).length;
}

/** A key whose request is about to act. */
export type ActingKey = Pick<IdempotencyRecord, 'id' | 'owner'> & { requestId: string };

const actingColumns = {
  id: 'bytea',
  owner: 'text',
  requestId: 'text',
} as const satisfies Record<keyof ActingKey, string>;

const keep: Statement = {
  name: 'invocations_keep_keys',
  text: `
    WITH held AS MATERIALIZED (
      SELECT * FROM ${rowsFrom('$2', 'h', actingColumns)} ORDER BY id
    )
    UPDATE idempotency_records r SET request_id = h."requestId", response_status = 503
      FROM held h
     WHERE r.account_id = $1 AND r.id = h.id AND r.id = ANY (ARRAY(SELECT id FROM held))
       AND r.owner = h.owner AND r.state = 'running'
    RETURNING r.owner`,
};

/**
 * Notes the invocations that requests run, before those act, so that repeats go on with them. Returns the number of keys that their owner
 * still held.
 */
export async function keepKeys(
  database: Queryable,
  accountId: string,
  keys: readonly ActingKey[],
): Promise<number> {
  return (await database.run(keep, [accountId, jsonRows(actingColumns, keys)])).length;
}
