/** Enforces the rate limit of the account, and sets the X-RateLimit headers on every response. */
import type { Logger } from 'pino';
import { rateLimited } from '../../domain/errors.js';
import { createMemoryBuckets, type RateBuckets } from '../../lib/async/token-bucket.js';
import { callerOf, type Step } from '../transport/request.js';

/**
 * Counts the request and sets the headers, unless the account's rate is unlimited. Rejecting is left to `limitRate`, so that a 403 has
 * the headers too.
 */
export function countRequest(buckets: RateBuckets): Step {
  return async (req, res, next) => {
    const { accountId, limits } = callerOf(req);
    const { perMinute, burst } = limits;
    if (perMinute === Infinity || burst === Infinity) {
      next();
      return;
    }
    const result = await buckets.take(accountId, {
      capacity: burst,
      refillPerSecond: perMinute / 60,
    });
    res.setHeader('X-RateLimit-Limit', result.limit);
    res.setHeader('X-RateLimit-Remaining', result.remaining);
    res.setHeader('X-RateLimit-Reset', result.resetAt);
    if (!result.allowed) req.retryAfter = result.retryAfter;
    next();
  };
}

/** Rejects a request that `countRequest` found to exceed the limit. */
export const limitRate: Step = (req, _res, next) => {
  next(req.retryAfter === undefined ? undefined : rateLimited(req.retryAfter));
};

/** Shared buckets that fall back to in-memory ones while the database is unavailable, instead of failing requests. */
export function withLocalFallback(shared: RateBuckets, log: Logger): RateBuckets {
  const local = createMemoryBuckets();
  let isLocal = false;
  return {
    take: async (id, limit) => {
      try {
        const taken = await shared.take(id, limit);
        if (isLocal) log.info('shared rate limit available again');
        isLocal = false;
        return taken;
      } catch (error) {
        // Logged once per outage.
        if (!isLocal) log.warn({ err: error }, 'shared rate limit unavailable, limiting in memory');
        isLocal = true;
        return local.take(id, limit);
      }
    },
  };
}
