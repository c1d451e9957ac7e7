/**
 * Caches what every request of a tenant reads: keys, policies and configurations. Changes are announced to all instances, and drop what
 * depends on them at once; the time to live covers lost announcements. Concurrent requests share one load.
 */
import { LRUCache } from 'lru-cache';

interface TenantCacheOptions<Value> {
  /** Whether the value depends on the key, agent or account with this id. */
  dependsOn: (value: Value, id: string) => boolean;
  /** Also keeps that there is no value. Only for what is not looked up before it exists. */
  keepsMisses?: boolean;
}

interface Entry<Value> {
  loading: Promise<Value | undefined>;
  /** Undefined during the load, and if there is none. */
  value?: Value | undefined;
}

const ttlMs = 900;
const maxEntries = 10_000;

export class TenantCache<Value> {
  readonly #dependsOn: (value: Value, id: string) => boolean;
  readonly #keepsMisses: boolean;
  readonly #entries = new LRUCache<string, Entry<Value>>({
    max: maxEntries,
    // Counted from the start of the load, because the value may change during it.
    ttl: ttlMs,
    // Reads the clock every time; by default lru-cache sets a timer instead.
    ttlResolution: 0,
  });

  constructor({ dependsOn, keepsMisses = false }: TenantCacheOptions<Value>) {
    this.#dependsOn = dependsOn;
    this.#keepsMisses = keepsMisses;
  }

  /** Keeps no failed load. */
  get(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const cached = this.#entries.get(key);
    if (cached) return cached.loading;
    const entry: Entry<Value> = { loading: load() };
    this.#entries.set(key, entry);
    const discard = () => {
      if (this.#entries.peek(key) === entry) this.#entries.delete(key);
    };
    entry.loading.then((value) => {
      entry.value = value;
      if (value === undefined && !this.#keepsMisses) discard();
    }, discard);
    return entry.loading;
  }

  /**
   * Call this after the change is committed. A load in progress may have read the old value, and a miss may exist now, so neither is
   * kept.
   */
  invalidate(id: string): void {
    for (const [key, { value }] of this.#entries.entries()) {
      if (value === undefined || this.#dependsOn(value, id)) this.#entries.delete(key);
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}
