/** Token buckets that all instances share: one atomic statement takes tokens, by the database's clock. */
import {
  describeTake,
  type Limit,
  type RateBuckets,
  type Take,
  type TokenCount,
} from '../lib/async/token-bucket.js';
import { batched } from '../postgres/batched.js';
import type { Connection, Queryable } from '../postgres/connection.js';
import { takeTokens } from './rate-buckets.sql.js';

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
