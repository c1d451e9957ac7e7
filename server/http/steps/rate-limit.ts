/**
 * Enforces the rate limits of the account, of the agent and of a token's subject, and sets the X-RateLimit headers, which describe
 * the account's bucket.
 */
import { hash } from 'node:crypto';
import type { Response } from 'express';
import type { Logger } from 'pino';
import type { Caller } from '../../accounts/caller.js';
import { rateLimited } from '../../contract/errors.js';
import { withTimeLimit } from '../../lib/async/time-limit.js';
import {
  createMemoryBuckets,
  type Limit,
  type RateBuckets,
  type Take,
} from '../../lib/async/token-bucket.js';
import { callerOf, type ErrorStep, type Step, type StepRequest } from '../transport/request.js';

interface Bucket {
  id: string;
  limit: Limit;
  /** For the message of a 429; by default the limit is the account's. */
  name?: string;
}

/** The part of the account's limit that one subject of tokens may use, so that no end user locks out the others and the account's keys. */
const subjectShare = 0.5;

/** What keys that manage keys may overdraw, as a part of the burst: they work when everything is used up. */
const administratorsReserve = 0.1;

/**
 * Takes a token from every bucket of the request, or from none. Comes after the checks that may refuse the request, which must cost
 * the account nothing. The account's bucket is the last, so that what another one refuses does not drain it even for a moment.
 */
export function limitRate(buckets: RateBuckets): Step {
  return async (req, res, next) => {
    const caller = callerOf(req);
    const account = accountBuckets(caller);
    const taken: Bucket[] = [];
    for (const bucket of [...subjectBuckets(caller), ...agentBuckets(req), ...account]) {
      const take = await buckets.take(bucket.id, bucket.limit);
      if (account.includes(bucket)) setHeaders(res, take);
      if (!take.allowed) {
        for (const { id, limit } of taken) await buckets.take(id, limit, -1);
        throw rateLimited(take.retryAfter, bucket.name);
      }
      taken.push(bucket);
    }
    next();
  };
}

/** Sets the headers of a response to an authenticated request that was refused before it took a token. */
export function describeRateLimit(buckets: RateBuckets): ErrorStep {
  return async (error: unknown, req, res, next) => {
    if (req.caller && !res.hasHeader('X-RateLimit-Limit')) {
      for (const { id, limit } of accountBuckets(req.caller)) {
        setHeaders(res, await buckets.take(id, limit, 0));
      }
    }
    next(error);
  };
}

/** One, unless the account's rate is unlimited. */
function accountBuckets(caller: Caller): Bucket[] {
  if (isUnlimited(caller)) return [];
  const { accountId, keyId, permissions, limits } = caller;
  const { perMinute, burst } = limits;
  const isAdministrator = keyId !== null && permissions.has('manage');
  const overdraft = isAdministrator ? Math.ceil(burst * administratorsReserve) : 0;
  return [
    { id: accountId, limit: { capacity: burst, refillPerSecond: perMinute / 60, overdraft } },
  ];
}

/** One for a token. It is the subject's in the whole account, so that tokens for several agents do not add up. */
function subjectBuckets(caller: Caller): Bucket[] {
  const { accountId, userId, limits } = caller;
  if (userId === null || isUnlimited(caller)) return [];
  const { perMinute, burst } = limits;
  const limit = {
    capacity: Math.max(1, Math.floor(burst * subjectShare)),
    refillPerSecond: (perMinute / 60) * subjectShare,
  };
  // A subject may identify a person, so only its digest is stored.
  const id = `${accountId}/subject:${hash('sha256', userId, 'base64url')}`;
  return [{ id, limit, name: 'Rate limit of one user' }];
}

function isUnlimited({ limits: { perMinute, burst } }: Caller): boolean {
  return perMinute === Infinity || burst === Infinity;
}

/** One if the request is about an agent with a limit of its own. */
function agentBuckets({ agentPolicy }: StepRequest): Bucket[] {
  const limit = agentPolicy?.policy?.rateLimit;
  if (!agentPolicy || !limit) return [];
  const id = `${agentPolicy.accountId}/${agentPolicy.agentId}`;
  return [{ id, limit, name: 'Rate limit of the agent' }];
}

function setHeaders(res: Response, { limit, remaining, resetAt }: Take): void {
  res.setHeader('X-RateLimit-Limit', limit);
  res.setHeader('X-RateLimit-Remaining', remaining);
  res.setHeader('X-RateLimit-Reset', resetAt);
}

/** A hanging database must not hold up requests twice: here, and where they use it. */
const sharedTimeoutMs = 1_000;

/** Shared buckets that fall back to in-memory ones while the database is unavailable, instead of failing requests. */
export function withLocalFallback(shared: RateBuckets, log: Logger): RateBuckets {
  const local = createMemoryBuckets();
  let isLocal = false;
  return {
    take: async (...request) => {
      try {
        const taken = await withTimeLimit(
          Promise.resolve(shared.take(...request)),
          sharedTimeoutMs,
          new Error(`The database did not answer within ${sharedTimeoutMs} ms.`),
        );
        if (isLocal) log.info('shared rate limit available again');
        isLocal = false;
        return taken;
      } catch (error) {
        // Logged once per outage.
        if (!isLocal) log.warn({ err: error }, 'shared rate limit unavailable, limiting in memory');
        isLocal = true;
        return local.take(...request);
      }
    },
  };
}
