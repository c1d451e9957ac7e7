/**
 * Authenticates API keys, with a cache. Revocations are announced and invalidate the entry on every instance; if the
 * notification is lost, the entry expires in less than a second.
 */
import { hash } from 'node:crypto';
import { isWellFormedApiKey } from './api-key.js';
import { createCache } from '../../lib/async/cache.js';
import { currentTime } from '../../lib/time/clock.js';
import type { Secrets } from '../../store/installation/key-ring.js';
import type { Database } from '../../store/postgres/database.js';
import { createKeyLookup, type FindKeyHolder } from '../../store/keys/keys.js';
import type { Caller } from '../caller.js';

export interface KeyCache {
  /** The caller that the key belongs to; undefined if the key is unknown, expired or revoked. */
  identify: (key: string) => Promise<Caller | undefined>;
  invalidateKey: (keyId: string) => void;
  /** Invalidates all keys that are scoped to the agent. */
  invalidateAgent: (agentId: string) => void;
  /** Invalidates all keys of the account. */
  invalidateAccount: (accountId: string) => void;
  clear: () => void;
}

interface CachedKey {
  caller: Caller;
  expiresAt: number;
}

const ttlMs = 900;
const maxEntries = 10_000;

export function createKeyCache(
  database: Database,
  secrets: Secrets,
  onUse: (keyId: string) => void,
): KeyCache {
  // Misses can be cached because a key is not used before it exists. A key from a restored backup works once its miss expires.
  const cache = createCache<CachedKey>({ ttlMs, maxEntries, cachesMisses: true });
  const findHolder = createKeyLookup(database);

  return {
    async identify(key) {
      if (!isWellFormedApiKey(key)) return undefined;
      // Cached under a digest, so that no key stays in memory. Only a miss needs the slower hash with the pepper.
      const cached = await cache.get(hash('sha256', key), () =>
        load(findHolder, secrets.hashApiKey(key)),
      );
      if (!cached || cached.expiresAt <= currentTime()) return undefined;
      onUse(cached.caller.id);
      return cached.caller;
    },
    invalidateKey: (keyId) => {
      cache.invalidateWhere(({ caller }) => caller.keyId === keyId);
    },
    invalidateAgent: (agentId) => {
      cache.invalidateWhere(({ caller }) => caller.agentId === agentId);
    },
    invalidateAccount: (accountId) => {
      cache.invalidateWhere(({ caller }) => caller.accountId === accountId);
    },
    clear: () => {
      cache.clear();
    },
  };
}

async function load(
  findHolder: FindKeyHolder,
  keyHash: Uint8Array<ArrayBuffer>,
): Promise<CachedKey | undefined> {
  const holder = await findHolder(keyHash);
  if (!holder) return undefined;
  const { id, accountId, agentId, limits, permissions, expiresAt } = holder;
  return {
    caller: {
      id,
      keyId: id,
      userId: null,
      accountId,
      agentId,
      limits,
      permissions: new Set(permissions),
      expiresAt,
    },
    expiresAt: expiresAt?.getTime() ?? Infinity,
  };
}
