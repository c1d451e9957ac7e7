/**
 * Claims an idempotency record: inserts it, or takes it over if it has expired, or if the lease of the same request has.
 * Why SQL: a conditional ON CONFLICT DO UPDATE by the database's clock; Prisma's upsert supports neither.
 */
import type { Statement } from '../connection.js';
import type { Database } from '../database.js';
import { asyncCommit } from './fragments.js';

export interface NewClaim {
  id: Uint8Array;
  requestHash: Uint8Array;
  owner: string;
  leaseMs: number;
  keepMs: number;
  isStream: boolean;
}

// A crash that loses the record also loses the effect, which is committed later.
const begin: Statement = {
  name: 'idempotency-begin',
  text: `
    WITH ${asyncCommit}
    INSERT INTO idempotency_records AS record (id, request_hash, state, owner, lease_until, expires_at, is_stream)
    SELECT $1, $2, 'running', $3, now() + $4 * interval '1 ms', now() + $5 * interval '1 ms', $6 FROM async_commit
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
  { id, requestHash, owner, leaseMs, keepMs, isStream }: NewClaim,
): Promise<boolean> {
  const claimed = await database.run(begin, [id, requestHash, owner, leaseMs, keepMs, isStream]);
  return claimed.length > 0;
}
