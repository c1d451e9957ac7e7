/** Token buckets that all instances share: one atomic statement takes tokens, by the database's clock. */
import {
  describeTake,
  type Limit,
  type RateBuckets,
  type Take,
} from '../../lib/async/token-bucket.js';
import { batched } from '../postgres/batched.js';
import type { Connection, Queryable } from '../postgres/connection.js';
import { takeTokens } from './rate-buckets.sql.js';

interface WantedToken {
  id: string;
  limit: Limit;
}

/** Requests of an account that arrive while a statement runs share the next one, instead of queueing for the bucket's row lock. */
export function createRateBuckets(database: Queryable): RateBuckets {
  const take = batched<WantedToken, Take>(
    async (wanted) => {
      // The limit changes with the account's tier, so the latest request has the current one.
      const { id, limit } = wanted.at(-1) ?? { id: '', limit: { capacity: 0, refillPerSecond: 1 } };
      const [accountId = '', agentId = ''] = id.split('/');
      const bucket = { accountId, agentId };
      const { granted, tokens, at } = await takeTokens(database, bucket, limit, wanted.length);
      return wanted.map((_, n) =>
        n < granted
          ? describeTake(true, { tokens: tokens + granted - n - 1, at }, limit)
          : describeTake(false, { tokens, at }, limit),
      );
    },
    { keyOf: ({ id }) => id, maxItems: 1_000 },
  );
  return { take: (id, limit) => take({ id, limit }) };
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
