/**
 * An LRU cache of loaded values that are invalidated by notifications. Concurrent requests for a key share one load. The time to live
 * is a safety net for lost notifications; a value in use is reloaded in the background before it expires.
 */
import { LRUCache } from 'lru-cache';

interface CacheOptions {
  /** Counted from the start of the load, because the value may change during it. */
  ttlMs: number;
  maxEntries: number;
  /** Also caches that a key has no value. Only for keys that are not looked up before they are created. */
  cachesMisses?: boolean;
  now?: () => number;
}

export interface Cache<Value> {
  /** Failed loads are not cached, nor is undefined unless `cachesMisses` is set. */
  get(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined>;
  /** For notifications that do not name the key. Also drops misses and loads in progress, because they might match. */
  invalidateWhere(matches: (value: Value) => boolean): void;
  clear(): void;
}

interface Entry<Value> {
  value: Value | undefined;
}

/** The share of its lifetime after which an entry in use is reloaded; requests get the old value meanwhile. */
const reloadAfter = 2 / 3;

export function createCache<Value>(options: CacheOptions): Cache<Value> {
  const { ttlMs, maxEntries, cachesMisses = false, now = () => performance.now() } = options;
  const loads = new Set<{ key: string }>();
  const entries = new LRUCache<string, Entry<Value>, () => Promise<Value | undefined>>({
    max: maxEntries,
    ttl: ttlMs,
    // Reads the clock every time; by default lru-cache sets a timer instead.
    ttlResolution: 0,
    perf: { now },
    fetchMethod: async (key, _expired, { context: load, options: entry }) => {
      const startedAt = now();
      const current = { key };
      loads.add(current);
      try {
        return { value: await load() };
      } finally {
        loads.delete(current);
        // 0 would mean no expiry.
        entry.ttl = Math.max(1, ttlMs - (now() - startedAt));
      }
    },
    // A load whose key is deleted meanwhile is not stored, but still returned to the requests that wait for it.
    ignoreFetchAbort: true,
    // If reloading fails, the entry stays until it expires.
    noDeleteOnFetchRejection: true,
  });

  return {
    async get(key, load) {
      const remainingMs = entries.getRemainingTTL(key);
      // Not a miss: requests for what does not exist must not cause loads that nothing waits for.
      const hasValue = entries.peek(key)?.value !== undefined;
      const entry = await entries.fetch(key, {
        context: load,
        forceRefresh: hasValue && remainingMs <= ttlMs * (1 - reloadAfter),
        allowStale: remainingMs >= 0,
      });
      if (entry?.value === undefined && !cachesMisses) entries.delete(key);
      return entry?.value;
    },
    invalidateWhere(matches) {
      for (const { key } of loads) entries.delete(key);
      for (const [key, { value }] of entries.entries()) {
        if (value === undefined || matches(value)) entries.delete(key);
      }
    },
    clear() {
      entries.clear();
    },
  };
}
