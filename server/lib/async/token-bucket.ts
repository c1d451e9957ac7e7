/** The token bucket algorithm for rate limits, and an in-memory implementation. */
import { LRUCache } from 'lru-cache';

export interface Limit {
  /** The size of the bucket: the largest burst. */
  capacity: number;
  refillPerSecond: number;
  /** Tokens that may be taken from an empty bucket, none by default. The refill pays them off before it counts again. */
  overdraft?: number;
}

/** A request takes one token. Taking none only describes the bucket, and taking -1 returns a token. */
export type TokenCount = -1 | 0 | 1;

interface BucketLevel {
  tokens: number;
  /** The time of this level, in milliseconds since the epoch. */
  at: number;
}

export interface Take {
  allowed: boolean;
  /** The size of the bucket. */
  limit: number;
  /** Whole tokens left. */
  remaining: number;
  /** When the bucket is full again, in seconds since the epoch. */
  resetAt: number;
  /** Seconds until the next token; 0 if the request was allowed. */
  retryAfter: number;
}

export interface RateBuckets {
  /** Takes one token by default. A rejected request consumes none. */
  take(id: string, limit: Limit, tokens?: TokenCount): Take | Promise<Take>;
}

/** The current level. An unused bucket is full; a clock that moved backwards refills nothing. */
export function refill(level: BucketLevel | undefined, limit: Limit, now: number): BucketLevel {
  if (level === undefined) return { tokens: limit.capacity, at: now };
  const elapsed = Math.max(0, now - level.at) / 1000;
  return {
    tokens: Math.min(limit.capacity, level.tokens + elapsed * limit.refillPerSecond),
    at: Math.max(now, level.at),
  };
}

/** Describes the result of a request from the bucket's level after it. */
export function describeTake(allowed: boolean, level: BucketLevel, limit: Limit): Take {
  const { tokens, at } = level;
  const { capacity, refillPerSecond, overdraft = 0 } = limit;
  const missing = 1 - overdraft - tokens;
  return {
    allowed,
    limit: capacity,
    remaining: allowed ? Math.max(0, Math.floor(tokens)) : 0,
    resetAt: Math.ceil(at / 1000 + (capacity - tokens) / refillPerSecond),
    retryAfter: allowed ? 0 : Math.max(1, Math.ceil(missing / refillPerSecond)),
  };
}

/** Buckets in the memory of this process. */
export function createMemoryBuckets({
  now = Date.now,
  maxBuckets = 100_000,
}: { now?: () => number; maxBuckets?: number } = {}): {
  take(id: string, limit: Limit, tokens?: TokenCount): Take;
} {
  // The least recently used bucket is most likely full again. `max` would preallocate memory for all buckets.
  const levels = new LRUCache<string, BucketLevel>({
    maxSize: maxBuckets,
    sizeCalculation: () => 1,
  });
  return {
    take(id, limit, tokens = 1) {
      const { capacity, overdraft = 0 } = limit;
      const level = refill(levels.get(id), limit, now());
      const allowed = tokens < 1 || level.tokens + overdraft >= 1;
      if (!allowed || tokens === 0) return describeTake(allowed, level, limit);
      const left = { ...level, tokens: Math.min(capacity, level.tokens - tokens) };
      levels.set(id, left);
      return describeTake(true, left, limit);
    },
  };
}
