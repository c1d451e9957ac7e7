/** A token bucket, and the words with which a full one is reported. */
import { type ApiName, Rejection } from './rejection.js';

export interface RateLimiter {
  accepted: number;
  rejected: number;
  /** Undefined if the request may pass. */
  take: (perSecond: number, api: ApiName, model: string) => Rejection | undefined;
}

export function createRateLimiter(): RateLimiter {
  let tokens: number | undefined;
  let filledAt = performance.now();
  const limiter: RateLimiter = {
    accepted: 0,
    rejected: 0,
    take(perSecond, api, model) {
      const now = performance.now();
      const gained = ((now - filledAt) / 1000) * perSecond;
      filledAt = now;
      tokens = Math.min(perSecond, (tokens ?? perSecond) + gained);
      if (tokens >= 1) {
        tokens -= 1;
        limiter.accepted += 1;
        return undefined;
      }
      limiter.rejected += 1;
      return tooManyRequests({ api, model, perMinute: perSecond * 60, seconds: 1 });
    },
  };
  return limiter;
}

interface Excess {
  api: ApiName;
  model: string;
  perMinute: number;
  seconds: number;
}

export function tooManyRequests({ api, model, perMinute, seconds }: Excess): Rejection {
  const headers = { 'retry-after': `${seconds}` };
  return api === 'messages'
    ? new Rejection(
        `This request would exceed your organization's rate limit of ${perMinute} requests per minute.`,
        { status: 429, type: 'rate_limit_error', headers },
      )
    : new Rejection(
        `Rate limit reached for ${model} in organization org-test on requests per min (RPM): Limit ${perMinute}, Used ${perMinute}, Requested 1. Please try again in ${seconds}s.`,
        { status: 429, type: 'requests', code: 'rate_limit_exceeded', headers },
      );
}
