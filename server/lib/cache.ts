/** An LRU cache with a time to live, a maximum size, and a single load at a time per key. */
import { putLatest } from './put-latest.js';

export interface CacheOptions {
  /** Counted from the start of the load, which is when the value was true. */
  ttlMs: number;
  /** An entry that is used when it is older is loaded again ahead of its end, so that whoever uses it often never waits. */
  refreshAfterMs?: number;
  maxEntries: number;
  /**
   * How many keys without a value are remembered of each owner, for as long as values are. None by default: what is missing
   * may be created at any moment, and nobody announces it.
   */
  maxMisses?: number;
  /** Who asks for the key, so that nobody takes the room of others; undefined if its absence must not be remembered. */
  missOwner?: (key: string) => string | undefined;
  now?: () => number;
}

export interface Cache<Value> {
  /** Concurrent calls for one key share a load. Failed loads are not cached, nor is undefined without `maxMisses`. */
  get(key: string, load: (key: string) => Promise<Value | undefined>): Promise<Value | undefined>;
  /** For notifications that do not name the key. */
  invalidateWhere(matches: (value: Value, key: string) => boolean): void;
  clear(): void;
}

/** Of those whose misses are remembered. */
const maxOwners = 1_000;

interface Entry<Value> {
  value: Value;
  loadedAt: number;
}

export function createCache<Value>(options: CacheOptions): Cache<Value> {
  const { ttlMs, refreshAfterMs = ttlMs, maxEntries, now = Date.now } = options;
  const { maxMisses = 0, missOwner = () => '' } = options;
  const entries = new Map<string, Entry<Value>>();
  // Apart from the entries, so that no number of misses takes their place.
  const misses = new Map<string, Map<string, number>>();
  const loads = new Map<string, Promise<Value | undefined>>();

  const remember = (key: string, value: Value | undefined, loadedAt: number) => {
    if (value !== undefined) putLatest(entries, key, { value, loadedAt }, maxEntries);
    else {
      entries.delete(key);
      rememberMiss(key, loadedAt);
    }
  };
  const rememberMiss = (key: string, loadedAt: number) => {
    const owner = missOwner(key);
    if (owner === undefined) return;
    const missing = misses.get(owner) ?? new Map<string, number>();
    putLatest(missing, key, loadedAt, maxMisses);
    putLatest(misses, owner, missing, maxOwners);
  };
  const isKnownMiss = (key: string) => {
    const loadedAt = misses.get(missOwner(key) ?? '')?.get(key) ?? -Infinity;
    return now() - loadedAt < ttlMs;
  };

  const startLoading = (key: string, load: (key: string) => Promise<Value | undefined>) => {
    const loadedAt = now();
    const loading: Promise<Value | undefined> = load(key)
      .then((value) => {
        // A load that began before an invalidation may have read stale data.
        if (loads.get(key) === loading) remember(key, value, loadedAt);
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
    // All wait in the same way, so that they go on in the order in which they came.
    const value = await (joined ?? startLoading(key, load));
    if (!joined || value !== undefined || isKnownMiss(key)) return value;
    return loads.get(key) ?? startLoading(key, load);
  };

  return {
    async get(key, load) {
      const entry = entries.get(key);
      const age = entry === undefined ? Infinity : now() - entry.loadedAt;
      if (entry === undefined || age >= ttlMs) {
        return isKnownMiss(key) ? undefined : joinLoad(key, load);
      }
      // If it fails, the entry is still good for the rest of its time, and then the load is repeated.
      if (age >= refreshAfterMs && !loads.has(key)) startLoading(key, load).catch(() => undefined);
      putLatest(entries, key, entry, maxEntries);
      return entry.value;
    },
    invalidateWhere(matches) {
      // A value that is still loading may match.
      loads.clear();
      misses.clear();
      for (const [key, { value }] of entries) {
        if (matches(value, key)) entries.delete(key);
      }
    },
    clear() {
      entries.clear();
      misses.clear();
      loads.clear();
    },
  };
}
