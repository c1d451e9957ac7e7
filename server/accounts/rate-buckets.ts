/** Token buckets that all instances share: one atomic statement takes tokens, by the database's clock. */
import {
  describeTake,
  type Limit,
  type RateBuckets,
  type Take,
  type TokenCount,
} from '../lib/async/token-bucket.js';
import { currentTime } from '../lib/time/clock.js';
import { batched } from '../postgres/batched.js';
import type { Connection, Queryable, Statement } from '../postgres/connection.js';

interface WantedToken {
  id: string;
  limit: Limit;
  tokens: TokenCount;
}

/** Requests of an account that arrive while a statement runs share the next one, instead of queueing for the bucket's row lock. */
export function createRateBuckets(database: Queryable): RateBuckets {
  const take = batched<WantedToken, Take>(
    async (wanted) => {
      // The limit changes with the account's tier, so the latest request has the current one.
      const latest = wanted.at(-1);
      if (!latest) return [];
      const { id, limit, tokens: each } = latest;
      const [accountId = '', agentId = ''] = id.split('/');
      const bucket = { accountId, agentId };
      const requested = each * wanted.length;
      const { granted, tokens, at } = await takeTokens(database, bucket, limit, requested);
      if (each < 1) return wanted.map(() => describeTake(true, { tokens, at }, limit));
      return wanted.map((_, n) =>
        n < granted
          ? describeTake(true, { tokens: tokens + granted - n - 1, at }, limit)
          : describeTake(false, { tokens, at }, limit),
      );
    },
    // A statement has one number and one overdraft, so requests that differ in them do not share it.
    {
      keyOf: ({ id, limit, tokens }) => `${id} ${tokens} ${limit.overdraft ?? 0}`,
      maxItems: 1_000,
    },
  );
  return { take: (id, limit, tokens = 1) => take({ id, limit, tokens }) };
}

// SQL because one statement refills, takes and reports by the database's clock; Prisma would need locks and a transaction.
// $1 account, $2 agent, $3 capacity, $4 refill per second, $5 tokens requested, $6 overdraft. Grants up to $5 whole tokens. If there
// are none, or none are requested, the bucket stays unchanged and the second SELECT reports it. A statement that waited for a row lock
// may have an older time than the bucket; then it refills nothing. Times are numbers, because Citus accepts only immutable functions
// in an update, and time functions are not immutable. Times are exact to a microsecond, but the difference of two large floats is
// not, so it is rounded.
const microseconds = (seconds: string) => `round((${seconds}) * 1e6)`;
const refilled = (now: string) =>
  `least($3::float8,
         bucket.tokens + greatest(0, ${microseconds(`${now} - bucket.updated_at`)} / 1e6) * $4::float8)`;
const granted = (tokens: string) => `least($5::int, greatest(0, floor(${tokens} + $6::float8)))`;
const left = (tokens: string) => `least($3::float8, ${tokens} - ${granted(tokens)})`;
const fullAt = (now: string, tokens: string) =>
  `${now} + least(($3::float8 - ${left(tokens)}) / $4::float8, 1e10)`;
const clock = `(SELECT extract(epoch FROM clock_timestamp())::float8 AS now) AS clock`;
const held = refilled('excluded.updated_at');

const takeStatement: Statement = {
  name: 'rate-buckets-take',
  text: `
    WITH taken AS (
      INSERT INTO rate_buckets AS bucket (account_id, agent_id, tokens, granted, updated_at, full_at)
      SELECT $1, $2, ${left('$3::float8')}, ${granted('$3::float8')}, now, ${fullAt('now', '$3::float8')}
        FROM ${clock}
       WHERE $5::int <> 0
      ON CONFLICT (account_id, agent_id) DO UPDATE SET
        tokens = ${left(held)},
        granted = ${granted(held)},
        updated_at = greatest(bucket.updated_at, excluded.updated_at),
        full_at = ${fullAt('excluded.updated_at', held)}
      WHERE $5::int < 0 OR ${held} + $6::float8 >= 1
      RETURNING granted, tokens, updated_at
    )
    SELECT granted, tokens, ${microseconds('updated_at')} / 1e3 AS at
      FROM taken
    UNION ALL
    SELECT 0, ${refilled('clock.now')}, ${microseconds('clock.now')} / 1e3
      FROM rate_buckets AS bucket, ${clock}
     WHERE bucket.account_id = $1 AND bucket.agent_id = $2 AND NOT EXISTS (SELECT FROM taken)`,
};

interface TakenTokens {
  granted: number;
  /** The tokens left. */
  tokens: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Takes up to the requested number of tokens from a bucket, or returns as many to it if the number is negative. */
async function takeTokens(
  database: Queryable,
  { accountId, agentId }: { accountId: string; agentId: string },
  { capacity, refillPerSecond, overdraft = 0 }: Limit,
  requested: number,
): Promise<TakenTokens> {
  const values = [accountId, agentId, capacity, refillPerSecond, requested, overdraft];
  const [taken] = await database.run<TakenTokens>(takeStatement, values);
  // No row: the bucket does not exist yet, or another instance created and emptied it after this statement's snapshot.
  return taken ?? { granted: 0, tokens: requested === 0 ? capacity : 0, at: currentTime() };
}

/** Deletes up to `batch` buckets that were full before the given time; a missing bucket counts as full. Returns the number deleted. */
export async function pruneRateBuckets(
  { prisma }: Connection,
  before: Date,
  batch: number,
): Promise<number> {
  const where = { fullAt: { lt: before.getTime() / 1000 } };
  const { count } = await prisma.rateBucket.deleteMany({ where, limit: batch });
  return count;
}
