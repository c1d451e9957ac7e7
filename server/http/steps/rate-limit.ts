/** Lets an account make as many requests as its tier allows, and tells it on every answer how many are left. */
import type { Logger } from 'pino';
import { rateLimited } from '../../domain/errors.js';
import { tiers } from '../../lib/tiers.js';
import { createMemoryBuckets, type RateBuckets } from '../../lib/token-bucket.js';
import { callerOf, type Step } from '../transport/request.js';

/** Counts the request and puts the headers on its answer, whatever that will be. */
export function countRequest(buckets: RateBuckets): Step {
  return async (req, res, next) => {
    const { accountId, tier } = callerOf(req);
    const { perMinute, burst } = tiers[tier];
    const take = await buckets.take(accountId, {
      capacity: burst,
      refillPerSecond: perMinute / 60,
    });
    res.setHeader('X-RateLimit-Limit', take.limit);
    res.setHeader('X-RateLimit-Remaining', take.remaining);
    res.setHeader('X-RateLimit-Reset', take.resetAt);
    if (!take.allowed) req.retryAfter = take.retryAfter;
    next();
  };
}

/** Refuses what was counted as one too many. */
export const limitRate: Step = (req, _res, next) => {
  if (req.retryAfter !== undefined) throw rateLimited(req.retryAfter);
  next();
};

/** Shared buckets that fall back on local ones while the database cannot be asked: the service stays up. */
export function withLocalFallback(shared: RateBuckets, log: Logger): RateBuckets {
  const local = createMemoryBuckets();
  return {
    take: async (id, limit) => {
      try {
        return await shared.take(id, limit);
      } catch (error) {
        log.warn({ err: error }, 'rate limit decided locally');
        return local.take(id, limit);
      }
    },
  };
}
