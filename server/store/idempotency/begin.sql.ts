/**
 * Claims an idempotency record: inserts it, or takes it over if the record or the lease of the same request has expired.
 * Why SQL: a conditional ON CONFLICT DO UPDATE by the database's clock; Prisma's upsert supports neither.
 */
import type { Statement } from '../postgres/connection.js';
import type { Database } from '../postgres/database.js';
import { asyncCommit } from '../postgres/fragments.sql.js';

interface NewClaim {
  accountId: string;
  id: Uint8Array;
  requestHash: Uint8Array;
  owner: string;
  isStream: boolean;
}

export interface ClaimTimes {
  leaseMs: number;
  keepMs: number;
}

// The commit may be asynchronous: a database crash that loses a record also loses the effect, which is committed later. Expiry is computed from the
// times in the new row, and the periods are part of the text, because Citus accepts neither now() nor parameters in DO UPDATE.
const begin = ({ leaseMs, keepMs }: ClaimTimes): Statement => ({
  name: `idempotency-begin-${leaseMs}-${keepMs}`,
  text: `
    INSERT INTO idempotency_records AS record (account_id, id, request_hash, state, owner, is_stream, lease_until, expires_at)
    SELECT $1::text, $2::bytea, $3::bytea, 'running'::idempotency_state, $4::text, $5::boolean,
           now() + interval '${leaseMs} ms', now() + interval '${keepMs} ms'
      FROM ${asyncCommit}
    ON CONFLICT (account_id, id) DO UPDATE SET
      request_hash = excluded.request_hash, state = 'running', owner = excluded.owner,
      lease_until = excluded.lease_until, expires_at = excluded.expires_at,
      response_status = NULL, sealed_response = NULL, is_stream = excluded.is_stream, followed_at = NULL,
      stop_requested = false
    WHERE excluded.expires_at - record.expires_at >= interval '${keepMs} ms'
       OR (record.state = 'running' AND record.request_hash = excluded.request_hash
           AND excluded.lease_until - record.lease_until >= interval '${leaseMs} ms')
    RETURNING 1`,
});

/** Returns false if an existing record cannot be taken over. */
export async function beginRecord(
  database: Database,
  { accountId, id, requestHash, owner, isStream }: NewClaim,
  times: ClaimTimes,
): Promise<boolean> {
  const values = [accountId, id, requestHash, owner, isStream];
  return (await database.run(begin(times), values)).length > 0;
}
