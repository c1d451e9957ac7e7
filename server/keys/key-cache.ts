/** Authenticates API keys, with a cache. */
import { hash } from 'node:crypto';
import { isWellFormedApiKey } from './api-key.js';
import { currentTime } from '../lib/time/clock.js';
import type { Secrets } from '../installation/key-ring.js';
import type { Database } from '../postgres/database.js';
import { createKeyLookup, type FindKeyHolder } from './key-rows.js';
import type { Caller } from '../accounts/caller.js';
import { TenantCache } from '../accounts/tenant-cache.js';

export interface KeyCache {
  /** The caller that the key belongs to; undefined if the key is unknown, expired or revoked. */
  identify: (key: string) => Promise<Caller | undefined>;
  cache: TenantCache<CachedKey>;
}

interface CachedKey {
  caller: Caller;
  expiresAt: number;
}

export function createKeyCache(
  database: Database,
  secrets: Secrets,
  onUse: (keyId: string) => void,
): KeyCache {
  const cache = new TenantCache<CachedKey>({
    dependsOn: ({ caller }, id) => [caller.keyId, caller.agentId, caller.accountId].includes(id),
    // A key is not used before it exists. One from a restored backup works once its miss expires.
    keepsMisses: true,
  });
  const findHolder = createKeyLookup(database);

  return {
    cache,
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
