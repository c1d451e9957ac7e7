/** The token bucket behind every rate limit, as arithmetic: it holds up to `capacity` and refills all the time. */

export interface Limit {
  /** The size of the bucket: how many requests may come at once. */
  capacity: number;
  /** Tokens that flow back per second. */
  refillPerSecond: number;
}

export interface BucketLevel {
  tokens: number;
  /** Milliseconds since the epoch at which it held that many. */
  at: number;
}

export interface Take {
  allowed: boolean;
  /** The size of the bucket. */
  limit: number;
  /** Whole tokens left. */
  remaining: number;
  /** The Unix second at which the bucket is full again. */
  resetAt: number;
  /** Seconds until the next token; 0 if this take was allowed. */
  retryAfter: number;
}

export interface RateBuckets {
  /** A take that is refused takes nothing. */
  take(id: string, limit: Limit): Take | Promise<Take>;
}

/** What a bucket holds by now. One that was never used is full; a clock that was set back refills nothing. */
export function refill(level: BucketLevel | undefined, limit: Limit, now: number): BucketLevel {
  if (level === undefined) return { tokens: limit.capacity, at: now };
  const elapsed = Math.max(0, now - level.at) / 1000;
  return {
    tokens: Math.min(limit.capacity, level.tokens + elapsed * limit.refillPerSecond),
    at: Math.max(now, level.at),
  };
}

/** Reports a take by the level that it left behind. */
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

/** Buckets of this process alone: for a single instance, and for when the shared ones cannot be asked. */
export function createMemoryBuckets({
  now = Date.now,
  maxBuckets = 100_000,
}: { now?: () => number; maxBuckets?: number } = {}): {
  take(id: string, limit: Limit): Take;
} {
  const levels = new Map<string, BucketLevel>();
  return {
    take(id, limit) {
      const level = refill(levels.get(id), limit, now());
      const allowed = level.tokens >= 1;
      if (!allowed) return describeTake(false, level, limit);
      const left = { ...level, tokens: level.tokens - 1 };
      levels.delete(id);
      levels.set(id, left);
      forgetOldest(levels, maxBuckets);
      return describeTake(true, left, limit);
    },
  };
}

// The bucket that was used least recently is the one that is most likely full again.
function forgetOldest(levels: Map<string, BucketLevel>, maxBuckets: number): void {
  const oldest = levels.keys().next();
  if (levels.size > maxBuckets && oldest.done !== true) levels.delete(oldest.value);
}
