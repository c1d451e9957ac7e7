/** Slows down whoever guesses keys: failed authentications have a bucket of their own for each client address. */
import ipaddr from 'ipaddr.js';
import { rateLimited } from '../../domain/errors.js';
import { createMemoryBuckets, type Limit } from '../../lib/token-bucket.js';
import type { Step } from '../transport/request.js';

export interface FailedAuthenticationLimit {
  /** Seconds for which the address must wait before it may try again; 0 if it may try now. */
  wait: (address: string | undefined) => number;
  /** Counts a failure. */
  count: (address: string | undefined) => void;
}

const limit: Limit = { capacity: 100, refillPerSecond: 60 / 60 };
const maxAddresses = 100_000;
/** Of the eight parts of an IPv6 address, those that name its network. */
const networkParts = 4;

/** Kept in memory, by each instance for itself: a guess must not cost the database anything. */
export function createFailedAuthenticationLimit(
  now: () => number = Date.now,
): FailedAuthenticationLimit {
  const failures = createMemoryBuckets({ now, maxBuckets: maxAddresses });
  const blockedUntil = new Map<string, number>();
  return {
    wait: (address) => {
      if (blockedUntil.size === 0) return 0;
      const group = groupOf(address);
      const left = (blockedUntil.get(group) ?? 0) - now();
      if (left <= 0) blockedUntil.delete(group);
      return Math.max(0, Math.ceil(left / 1000));
    },
    count: (address) => {
      const group = groupOf(address);
      const { remaining, retryAfter, allowed } = failures.take(group, limit);
      if (allowed && remaining > 0) return;
      if (blockedUntil.size >= maxAddresses) blockedUntil.clear();
      blockedUntil.set(group, now() + Math.max(1, retryAfter) * 1000);
    },
  };
}

export function limitFailedAuthentication(failures: FailedAuthenticationLimit): Step {
  return (req, _res, next) => {
    const seconds = failures.wait(req.ip);
    if (seconds > 0) throw rateLimited(seconds);
    next();
  };
}

/** Whoever has one IPv6 address has the 2^64 beside it, so they count as one. */
function groupOf(address = ''): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6
    ? parsed.parts.slice(0, networkParts).join(':')
    : parsed.toString();
}
