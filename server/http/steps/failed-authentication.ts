/** Limits the rate of failed authentications per client address, against guessing of keys. */
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { createMemoryBuckets, type Limit } from '../../lib/async/token-bucket.js';

export interface FailedAuthenticationLimit {
  /** Seconds until the address may try again; 0 if it may try now. */
  retryAfter: (address: string | undefined) => number;
  /** Counts a failed attempt. */
  record: (address: string | undefined) => void;
  /** Whether the address used up half of its failures. Unlike a block, which lasts a second, this takes most of a minute to end. */
  isSuspect: (address: string | undefined) => boolean;
}

const limit: Limit = { capacity: 100, refillPerSecond: 1 };
const maxNetworks = 100_000;
/** The first 64 bits of an IPv6 address, in groups of 16, are its network. */
const ipv6NetworkGroups = 4;

/** In memory and per instance: a guessed key must not cost a database query. */
export function createFailedAuthenticationLimit(
  now: () => number = Date.now,
): FailedAuthenticationLimit {
  const failures = createMemoryBuckets({ now, maxBuckets: maxNetworks });
  const blockedUntil = new Map<string, number>();
  return {
    retryAfter: (address) => {
      if (blockedUntil.size === 0) return 0;
      const network = networkOf(address);
      const remainingMs = (blockedUntil.get(network) ?? 0) - now();
      if (remainingMs <= 0) blockedUntil.delete(network);
      return Math.max(0, Math.ceil(remainingMs / 1000));
    },
    record: (address) => {
      const network = networkOf(address);
      const { remaining, retryAfter, allowed } = failures.take(network, limit);
      if (allowed && remaining > 0) return;
      if (blockedUntil.size >= maxNetworks) blockedUntil.clear();
      blockedUntil.set(network, now() + Math.max(1, retryAfter) * 1000);
    },
    isSuspect: (address) =>
      failures.take(networkOf(address), limit, 0).remaining < limit.capacity / 2,
  };
}

/** A client that has one IPv6 address usually has the whole /64 around it, so the /64 counts as one address. */
export function networkOf(address = ''): string {
  // The common case, without the cost of parsing.
  if (isIPv4(address)) return address;
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6
    ? parsed.parts.slice(0, ipv6NetworkGroups).join(':')
    : parsed.toString();
}
