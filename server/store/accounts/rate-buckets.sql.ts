/**
 * Takes up to the requested number of tokens from a bucket.
 * Why SQL: refills, takes and reports in one statement, by the database's clock; Prisma would need locks and a transaction.
 */
import type { Limit } from '../../lib/token-bucket.js';
import type { Queryable, Statement } from '../postgres/connection.js';

export interface TakenTokens {
  granted: number;
  /** The tokens left. */
  tokens: number;
  /** Milliseconds since the epoch. */
  at: number;
}

export async function takeTokens(
  database: Queryable,
  id: string,
  { capacity, refillPerSecond }: Limit,
  requested: number,
): Promise<TakenTokens> {
  const values = [id, capacity, refillPerSecond, requested];
  const [taken] = await database.run<TakenTokens>(take, values);
  // No row: another instance created and emptied the bucket after this statement's snapshot.
  return taken ?? { granted: 0, tokens: 0, at: Date.now() };
}

// $1 id, $2 capacity, $3 refill per second, $4 tokens requested. Grants up to $4 whole tokens. If there are none,
// nothing changes and the second half reports. A statement that waited for a row lock may carry an older time than the bucket;
// then it refills nothing.
const refilled = (now: string) =>
  `least($2::float8, bucket.tokens + greatest(0, extract(epoch FROM ${now} - bucket.updated_at)::float8) * $3::float8)`;
const granted = (tokens: string) => `least($4::int, floor(${tokens}))`;
const fullAt = (now: string, tokens: string) =>
  `${now} + make_interval(secs => least(($2::float8 - (${tokens} - ${granted(tokens)})) / $3::float8, 1e10))`;
const held = refilled('excluded.updated_at');

const take: Statement = {
  name: 'rate-buckets-take',
  text: `
    WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
    taken AS (
      INSERT INTO rate_buckets AS bucket (id, tokens, granted, updated_at, full_at)
      SELECT $1, $2::float8 - ${granted('$2::float8')}, ${granted('$2::float8')}, now, ${fullAt('now', '$2::float8')}
        FROM clock
      ON CONFLICT (id) DO UPDATE SET
        tokens = ${held} - ${granted(held)},
        granted = ${granted(held)},
        updated_at = greatest(bucket.updated_at, excluded.updated_at),
        full_at = ${fullAt('excluded.updated_at', held)}
      WHERE ${held} >= 1
      RETURNING granted, tokens, updated_at
    )
    SELECT granted, tokens, (extract(epoch FROM updated_at) * 1000)::float8 AS at
      FROM taken
    UNION ALL
    SELECT 0, ${refilled('clock.now')}, (extract(epoch FROM clock.now) * 1000)::float8
      FROM rate_buckets AS bucket, clock
     WHERE bucket.id = $1 AND NOT EXISTS (SELECT FROM taken)`,
};
