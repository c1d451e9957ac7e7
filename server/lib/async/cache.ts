/**
 * The cache of what instances invalidate by NOTIFY, on lru-cache. Concurrent requests for a key share one load. The time to live is
 * the safety net for a notification that is lost; an entry in use is reloaded in the background before it ends.
 */
import { LRUCache } from 'lru-cache';

export interface CacheOptions {
  /** Counted from the start of the load, which is when the value was true. */
  ttlMs: number;
  maxEntries: number;
  /** Remembers also that there is no value. Only for keys that are not used before they are created. */
  cachesMisses?: boolean;
  now?: () => number;
}

export interface Cache<Value> {
  /** Failed loads are not cached, nor is undefined unless `cachesMisses` is set. */
  get(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined>;
  /** For notifications that do not name the key. Drops misses and loads under way too, since these might match. */
  invalidateWhere(matches: (value: Value) => boolean): void;
  clear(): void;
}

interface Entry<Value> {
  value: Value | undefined;
}

/** The share of its time after which an entry that is used is reloaded, while requests still get it. */
const reloadAfter = 2 / 3;

export function createCache<Value>(options: CacheOptions): Cache<Value> {
  const { ttlMs, maxEntries, cachesMisses = false, now = () => performance.now() } = options;
  const loads = new Set<{ key: string }>();
  const entries = new LRUCache<string, Entry<Value>, () => Promise<Value | undefined>>({
    max: maxEntries,
    ttl: ttlMs,
    // Asks the clock every time: the default sets a timer instead.
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
        // 0 would be for ever.
        entry.ttl = Math.max(1, ttlMs - (now() - startedAt));
      }
    },
    // A load that began before its key was deleted is not stored, but still returned to the requests that wait for it.
    ignoreFetchAbort: true,
    // If reloading fails, the entry serves for the rest of its time.
    noDeleteOnFetchRejection: true,
  });

  return {
    async get(key, load) {
      const remainingMs = entries.getRemainingTTL(key);
      const entry = await entries.fetch(key, {
        context: load,
        forceRefresh: remainingMs <= ttlMs * (1 - reloadAfter),
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
