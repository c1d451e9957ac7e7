/** The statements behind the idempotency records, on the clock of the database. */
import type { Statement } from './sql.js';

// Inserts the record, or takes it over if it is past its time, or if whoever ran the same request did not finish within
// the lease. It does not wait for the disk: should a crash lose the record, then it lost the effect as well, for that is
// committed later.
export const BEGIN: Statement = {
  name: 'idempotency-begin',
  text: `
    WITH quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
    INSERT INTO idempotency_records AS record (id, request_hash, state, owner, lease_until, expires_at)
    SELECT $1, $2, 'running', $3, now() + $4 * interval '1 ms', now() + $5 * interval '1 ms' FROM quick
    ON CONFLICT (id) DO UPDATE SET
      request_hash = excluded.request_hash, state = 'running', owner = excluded.owner,
      lease_until = excluded.lease_until, expires_at = excluded.expires_at,
      response_status = NULL, sealed_response = NULL
    WHERE record.expires_at <= now()
       OR (record.state = 'running' AND record.lease_until <= now() AND record.request_hash = excluded.request_hash)
    RETURNING 1`,
};

export const FIND: Statement = {
  name: 'idempotency-find',
  text: 'SELECT request_hash, response_status, sealed_response FROM idempotency_records WHERE id = $1',
};

export const RENEW: Statement = {
  name: 'idempotency-renew',
  text: `
    UPDATE idempotency_records SET lease_until = now() + $3 * interval '1 ms'
     WHERE id = $1 AND owner = $2 AND state = 'running'
    RETURNING 1`,
};

export const ABANDON: Statement = {
  name: 'idempotency-abandon',
  text: `DELETE FROM idempotency_records WHERE id = $1 AND owner = $2 AND state = 'running'`,
};

export const PRUNE: Statement = {
  name: 'idempotency-prune',
  text: `
    DELETE FROM idempotency_records
     WHERE id IN (SELECT id FROM idempotency_records WHERE expires_at < now() ORDER BY expires_at LIMIT $1
                  FOR UPDATE SKIP LOCKED)
    RETURNING 1`,
};
