/**
 * Claims an idempotency record: inserts it, or takes it over if it has expired, or if the lease of the same request has.
 * Why SQL: a conditional ON CONFLICT DO UPDATE by the database's clock; Prisma's upsert supports neither.
 */
import type { Statement } from '../postgres/connection.js';
import type { Database } from '../postgres/database.js';
import { asyncCommit } from '../postgres/fragments.sql.js';

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

// A crash that loses a record also loses the effect, which is committed later.
const begin: Statement = {
  name: 'idempotency-begin',
  text: `
    WITH ${asyncCommit}
    INSERT INTO idempotency_records AS record (id, request_hash, state, owner, is_stream, lease_until, expires_at)
    SELECT $1, $2, 'running', $3, $4, now() + $5 * interval '1 ms', now() + $6 * interval '1 ms'
      FROM async_commit
    ON CONFLICT (id) DO UPDATE SET
      request_hash = excluded.request_hash, state = 'running', owner = excluded.owner,
      lease_until = excluded.lease_until, expires_at = excluded.expires_at,
      response_status = NULL, sealed_response = NULL, is_stream = excluded.is_stream, followed_at = NULL,
      stop_requested = false
    WHERE record.expires_at <= now()
       OR (record.state = 'running' AND record.lease_until <= now() AND record.request_hash = excluded.request_hash)
    RETURNING 1`,
};

/** Returns false if there is a record that cannot be taken over. */
export async function beginRecord(
  database: Database,
  { id, requestHash, owner, isStream }: NewClaim,
  { leaseMs, keepMs }: ClaimTimes,
): Promise<boolean> {
  const values = [id, requestHash, owner, isStream, leaseMs, keepMs];
  return (await database.run(begin, values)).length > 0;
}
