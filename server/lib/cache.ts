/** An LRU cache with a time to live, a maximum size, and a single load at a time per key. */

export interface CacheOptions {
  ttlMs: number;
  maxEntries: number;
  now?: () => number;
}

export interface Cache<Value> {
  /** Concurrent calls for one key share one load. Failed loads, and undefined, are not cached. */
  get(key: string, load: (key: string) => Promise<Value | undefined>): Promise<Value | undefined>;
  /** For notifications that do not name the key. */
  invalidateWhere(matches: (value: Value, key: string) => boolean): void;
  clear(): void;
}

interface Entry<Value> {
  value: Value;
  expiresAt: number;
}

export function createCache<Value>(options: CacheOptions): Cache<Value> {
  const { ttlMs, maxEntries, now = Date.now } = options;
  // A Map keeps insertion order, and every use reinserts: the first entry is the least recently used.
  const entries = new Map<string, Entry<Value>>();
  const loads = new Map<string, Promise<Value | undefined>>();

  const store = (key: string, value: Value) => {
    entries.delete(key);
    entries.set(key, { value, expiresAt: now() + ttlMs });
    const oldest = entries.keys().next();
    if (entries.size > maxEntries && oldest.done !== true) entries.delete(oldest.value);
  };

  const startLoading = (key: string, load: (key: string) => Promise<Value | undefined>) => {
    const loading: Promise<Value | undefined> = load(key)
      .then((value) => {
        // A load that began before an invalidation may have read stale data.
        if (value !== undefined && loads.get(key) === loading) store(key, value);
        return value;
      })
      .finally(() => {
        if (loads.get(key) === loading) loads.delete(key);
      });
    loads.set(key, loading);
    return loading;
  };

  return {
    async get(key, load) {
      const entry = entries.get(key);
      if (entry !== undefined && entry.expiresAt > now()) {
        entries.delete(key);
        entries.set(key, entry);
        return entry.value;
      }
      return loads.get(key) ?? startLoading(key, load);
    },
    invalidateWhere(matches) {
      // A value that is still loading may match.
      loads.clear();
      for (const [key, { value }] of entries) {
        if (matches(value, key)) entries.delete(key);
      }
    },
    clear() {
      entries.clear();
      loads.clear();
    },
  };
}
