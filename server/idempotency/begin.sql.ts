/**
 * Claims idempotency records of one account: inserts each, or takes it over if the record or the lease of the same request has
 * expired. A request that has acted keeps its record (lease.sql.ts).
 * Why SQL: a conditional ON CONFLICT DO UPDATE by the database's clock; Prisma's upsert supports neither.
 */
import type { Statement } from '../postgres/connection.js';
import type { Database } from '../postgres/database.js';
import { asyncCommit } from '../postgres/fragments.sql.js';
import { columnsOf, jsonRows, rowsFrom, valuesOf } from '../postgres/rows.sql.js';
import { claimColumns, type NewClaim } from './row.js';

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
    INSERT INTO idempotency_records AS record (account_id, ${columnsOf(claimColumns)}, state, lease_until, expires_at)
    SELECT DISTINCT ON (id) $1::text, ${valuesOf('claim', claimColumns)}, 'running'::idempotency_state,
           now() + interval '${leaseMs} ms', now() + interval '${keepMs} ms'
      FROM ${rowsFrom('$2', 'claim', claimColumns)}, ${asyncCommit}
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
  const values = [claims[0]?.accountId, jsonRows(claimColumns, claims)];
  const begun = await database.run<{ owner: string }>(begin(times), values);
  const owners = new Set(begun.map(({ owner }) => owner));
  return claims.map(({ owner }) => owners.has(owner));
}
