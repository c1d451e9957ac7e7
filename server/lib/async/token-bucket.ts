/** The token bucket algorithm for rate limits, and an in-memory implementation. */
import { LRUCache } from 'lru-cache';

export interface Limit {
  /** The size of the bucket: the largest burst. */
  capacity: number;
  refillPerSecond: number;
}

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
  /** A rejected request consumes no token. */
  take(id: string, limit: Limit): Take | Promise<Take>;
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
  return {
    allowed,
    limit: limit.capacity,
    remaining: allowed ? Math.floor(tokens) : 0,
    resetAt: Math.ceil(at / 1000 + (limit.capacity - tokens) / limit.refillPerSecond),
    retryAfter: allowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / limit.refillPerSecond)),
  };
}

/** Buckets in the memory of this process. */
export function createMemoryBuckets({
  now = Date.now,
  maxBuckets = 100_000,
}: { now?: () => number; maxBuckets?: number } = {}): {
  take(id: string, limit: Limit): Take;
} {
  // The least recently used bucket is most likely full again. `max` would preallocate memory for all buckets.
  const levels = new LRUCache<string, BucketLevel>({
    maxSize: maxBuckets,
    sizeCalculation: () => 1,
  });
  return {
    take(id, limit) {
      const level = refill(levels.get(id), limit, now());
      const allowed = level.tokens >= 1;
      if (!allowed) return describeTake(false, level, limit);
      const left = { ...level, tokens: level.tokens - 1 };
      levels.set(id, left);
      return describeTake(true, left, limit);
    },
  };
}
