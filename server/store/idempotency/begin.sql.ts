/**
 * Claims idempotency records of one account: inserts each, or takes it over if the record or the lease of the same request has
 * expired. A request that has acted keeps its record (lease.sql.ts).
 * Why SQL: a conditional ON CONFLICT DO UPDATE by the database's clock; Prisma's upsert supports neither.
 */
import type { Statement } from '../postgres/connection.js';
import type { Database } from '../postgres/database.js';
import { asyncCommit, byteaText } from '../postgres/fragments.sql.js';

export interface NewClaim {
  accountId: string;
  id: Buffer;
  requestHash: Buffer;
  owner: string;
  isStream: boolean;
}

export interface ClaimTimes {
  leaseMs: number;
  keepMs: number;
}

// $1 account, $2 claims, sorted to avoid deadlocks. Of several with the same id, one gets the record. The commit may be
// asynchronous: a database crash that loses a record also loses the effect, which is committed later. Expiry is computed from the
// times in the new row, and the periods are part of the text, because Citus accepts neither now() nor parameters in DO UPDATE.
const begin = ({ leaseMs, keepMs }: ClaimTimes): Statement => ({
  name: `idempotency-begin-${leaseMs}-${keepMs}`,
  text: `
    INSERT INTO idempotency_records AS record (account_id, id, request_hash, state, owner, is_stream, lease_until, expires_at)
    SELECT DISTINCT ON (id) $1::text, id, hash, 'running'::idempotency_state, owner, stream,
           now() + interval '${leaseMs} ms', now() + interval '${keepMs} ms'
      FROM json_to_recordset($2::json) AS claim (id bytea, hash bytea, owner text, stream boolean), ${asyncCommit}
     ORDER BY id
    ON CONFLICT (account_id, id) DO UPDATE SET
      request_hash = excluded.request_hash, state = 'running', owner = excluded.owner,
      lease_until = excluded.lease_until, expires_at = excluded.expires_at,
      response_status = NULL, sealed_response = NULL, is_stream = excluded.is_stream, followed_at = NULL,
      stop_requested = false
    WHERE excluded.expires_at - record.expires_at >= interval '${keepMs} ms'
       OR (record.state = 'running' AND record.response_status IS NULL AND record.request_hash = excluded.request_hash
           AND excluded.lease_until - record.lease_until >= interval '${leaseMs} ms')
    RETURNING owner`,
});

/** Returns for each claim whether it got its record. */
export async function beginRecords(
  database: Database,
  claims: readonly NewClaim[],
  times: ClaimTimes,
): Promise<boolean[]> {
  const rows = claims.map(({ id, requestHash, owner, isStream }) => ({
    id: byteaText(id),
    hash: byteaText(requestHash),
    owner,
    stream: isStream,
  }));
  const values = [claims[0]?.accountId, JSON.stringify(rows)];
  const begun = await database.run<{ owner: string }>(begin(times), values);
  const owners = new Set(begun.map(({ owner }) => owner));
  return claims.map(({ owner }) => owners.has(owner));
}
