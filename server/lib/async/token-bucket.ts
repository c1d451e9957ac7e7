/** The token bucket algorithm behind every rate limit, and an in-memory implementation. */
import { LRUCache } from 'lru-cache';

export interface Limit {
  /** The size of the bucket, which is the largest burst. */
  capacity: number;
  refillPerSecond: number;
}

export interface BucketLevel {
  tokens: number;
  /** When it had that many, in milliseconds since the epoch. */
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
  /** Seconds until the next token; 0 if this one was allowed. */
  retryAfter: number;
}

/** Buckets of accounts and of agents: the id is an account's, or an account's and an agent's with a slash between them. */
export interface RateBuckets {
  /** A refused request consumes no token. */
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

/** Describes a take by the level after it. */
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

/** Buckets in this process: for a single instance, and as the fallback when the database is unavailable. */
export function createMemoryBuckets({
  now = Date.now,
  maxBuckets = 100_000,
}: { now?: () => number; maxBuckets?: number } = {}): {
  take(id: string, limit: Limit): Take;
} {
  // The least recently used bucket is the one that is most likely full again. `max` would allocate room for all of them.
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
