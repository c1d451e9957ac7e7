/** An LRU cache with a time to live, a maximum size, and a single load at a time per key. */

export interface CacheOptions {
  /** Counted from the start of the load, which is when the value was true. */
  ttlMs: number;
  /** An entry that is used when it is older is loaded again ahead of its end, so that whoever uses it often never waits. */
  refreshAfterMs?: number;
  maxEntries: number;
  now?: () => number;
}

export interface Cache<Value> {
  /** Concurrent calls for one key share a load. Failed loads, and undefined, are not cached. */
  get(key: string, load: (key: string) => Promise<Value | undefined>): Promise<Value | undefined>;
  /** For notifications that do not name the key. */
  invalidateWhere(matches: (value: Value, key: string) => boolean): void;
  clear(): void;
}

interface Entry<Value> {
  value: Value;
  loadedAt: number;
}

export function createCache<Value>(options: CacheOptions): Cache<Value> {
  const { ttlMs, refreshAfterMs = ttlMs, maxEntries, now = Date.now } = options;
  // A Map keeps insertion order, and every use reinserts: the first entry is the least recently used.
  const entries = new Map<string, Entry<Value>>();
  const loads = new Map<string, Promise<Value | undefined>>();

  const store = (key: string, entry: Entry<Value>) => {
    entries.delete(key);
    entries.set(key, entry);
    const oldest = entries.keys().next();
    if (entries.size > maxEntries && oldest.done !== true) entries.delete(oldest.value);
  };

  const startLoading = (key: string, load: (key: string) => Promise<Value | undefined>) => {
    const loadedAt = now();
    const loading: Promise<Value | undefined> = load(key)
      .then((value) => {
        // A load that began before an invalidation may have read stale data.
        if (loads.get(key) !== loading) return value;
        if (value === undefined) entries.delete(key);
        else store(key, { value, loadedAt });
        return value;
      })
      .finally(() => {
        if (loads.get(key) === loading) loads.delete(key);
      });
    loads.set(key, loading);
    return loading;
  };

  /** What a load did not find that began before this call may be there by now: then it takes one that begins after it. */
  const joinLoad = async (key: string, load: (key: string) => Promise<Value | undefined>) => {
    const joined = loads.get(key);
    return (joined && (await joined)) ?? loads.get(key) ?? startLoading(key, load);
  };

  return {
    async get(key, load) {
      const entry = entries.get(key);
      const age = entry === undefined ? Infinity : now() - entry.loadedAt;
      if (entry === undefined || age >= ttlMs) return joinLoad(key, load);
      // If it fails, the entry is still good for the rest of its time, and then the load is repeated.
      if (age >= refreshAfterMs && !loads.has(key)) startLoading(key, load).catch(() => undefined);
      store(key, entry);
      return entry.value;
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
