/**
 * Renews the leases of idempotency records whose requests are still running, and notes that somebody follows the stream of one.
 * Why SQL: the leases expire by the database's clock, which Prisma can neither write nor compare with.
 */
import type { Queryable, Statement } from '../connection.js';
import { asyncCommit } from './fragments.js';

/** The records that their owners still hold: $1 ids, $2 owners. Also by the list of ids, so that any plan finds them by their index. */
const heldRecords = `
  unnest($1::bytea[], $2::text[]) AS held (id, owner)
  WHERE record.id = held.id AND record.owner = held.owner AND record.state = 'running' AND record.id = ANY ($1)`;

// Waits for nobody, since whoever records several may hold one and wait for another. What somebody has locked is still held as
// far as anybody can tell; the next renewal knows.
const renew: Statement = {
  name: 'idempotency-renew',
  text: `
    WITH free AS MATERIALIZED (
      SELECT record.id FROM idempotency_records record, ${heldRecords} FOR NO KEY UPDATE OF record SKIP LOCKED
    ),
    renewed AS (
      UPDATE idempotency_records record SET lease_until = now() + $3 * interval '1 ms'
        FROM free WHERE record.id = free.id AND record.id = ANY ($1)
    )
    SELECT record.owner, (extract(epoch FROM now() - record.followed_at) * 1000)::float8 AS "sinceFollowedMs",
           record.stop_requested AS "stopRequested"
      FROM idempotency_records record, ${heldRecords}`,
};

// It is repeated all the time, and a crash also ends the run.
const follow: Statement = {
  name: 'idempotency-follow',
  text: `
    WITH ${asyncCommit}
    UPDATE idempotency_records SET followed_at = now() FROM async_commit
     WHERE id = $1 AND owner = $2 AND state = 'running' AND lease_until > now()
    RETURNING 1`,
};

interface RecordKey {
  id: Uint8Array;
  owner: string;
}

export interface Renewal {
  /** How long ago somebody last followed the stream from elsewhere; null: nobody has. */
  sinceFollowedMs: number | null;
  /** Whether somebody who followed it left for good. */
  stopRequested: boolean;
}

/** Returns for each what is known of it, or that the claim is lost. */
export async function renewRecords(
  database: Queryable,
  claims: readonly RecordKey[],
  leaseMs: number,
): Promise<(Renewal | 'lost')[]> {
  const owners = claims.map(({ owner }) => owner);
  const values = [claims.map(({ id }) => id), owners, leaseMs];
  const held = await database.run<Renewal & { owner: string }>(renew, values);
  const renewals = new Map(held.map(({ owner, ...renewal }) => [owner, renewal]));
  return owners.map((owner) => renewals.get(owner) ?? 'lost');
}

/** Returns false if the request no longer runs. */
export async function followRecord(
  database: Queryable,
  { id, owner }: RecordKey,
): Promise<boolean> {
  const followed = await database.run(follow, [id, owner]);
  return followed.length > 0;
}
