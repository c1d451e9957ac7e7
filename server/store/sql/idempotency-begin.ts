/**
 * Claims idempotency records: inserts each, or takes it over if it has expired, or if the lease of the same request has.
 * Why SQL: a conditional ON CONFLICT DO UPDATE by the database's clock; Prisma's upsert supports neither.
 */
import type { Statement } from '../connection.js';
import type { Database } from '../database.js';
import { asyncCommit } from './fragments.js';

export interface NewClaim {
  id: Uint8Array;
  requestHash: Uint8Array;
  owner: string;
  isStream: boolean;
}

export interface ClaimTimes {
  leaseMs: number;
  keepMs: number;
}

// $1 ids, $2 hashes, $3 owners, $4 whether they are streams. In the order of ids, as they are locked by whoever records. A crash
// that loses a record also loses the effect, which is committed later.
const begin: Statement = {
  name: 'idempotency-begin',
  text: `
    WITH ${asyncCommit}
    INSERT INTO idempotency_records AS record (id, request_hash, state, owner, lease_until, expires_at, is_stream)
    SELECT id, request_hash, 'running', owner, now() + $5 * interval '1 ms', now() + $6 * interval '1 ms', is_stream
      FROM async_commit,
           unnest($1::bytea[], $2::bytea[], $3::text[], $4::boolean[]) AS claim (id, request_hash, owner, is_stream)
     ORDER BY id
    ON CONFLICT (id) DO UPDATE SET
      request_hash = excluded.request_hash, state = 'running', owner = excluded.owner,
      lease_until = excluded.lease_until, expires_at = excluded.expires_at,
      response_status = NULL, sealed_response = NULL, is_stream = excluded.is_stream, followed_at = NULL,
      stop_requested = false
    WHERE record.expires_at <= now()
       OR (record.state = 'running' AND record.lease_until <= now() AND record.request_hash = excluded.request_hash)
    RETURNING owner`,
};

/**
 * Returns for each whether its owner has the record now: false if there is one that cannot be taken over. Of claims to the same
 * record the first can get it.
 */
export async function beginRecords(
  database: Database,
  claims: readonly NewClaim[],
  { leaseMs, keepMs }: ClaimTimes,
): Promise<boolean[]> {
  const keyOf = ({ id }: NewClaim) => Buffer.from(id).toString('hex');
  const first = [...new Map(claims.toReversed().map((claim) => [keyOf(claim), claim])).values()];
  const claimed = await database.run<{ owner: string }>(begin, [
    first.map(({ id }) => id),
    first.map(({ requestHash }) => requestHash),
    first.map(({ owner }) => owner),
    first.map(({ isStream }) => isStream),
    leaseMs,
    keepMs,
  ]);
  const holders = new Set(claimed.map(({ owner }) => owner));
  return claims.map(({ owner }) => holders.has(owner));
}
