/** Authenticates API keys, with a cache. */
import { hash } from 'node:crypto';
import { isWellFormedApiKey } from './api-key.js';
import { currentTime } from '../lib/time/clock.js';
import type { Secrets } from '../installation/key-ring.js';
import type { Connection, Database } from '../postgres/database.js';
import type { Caller } from '../accounts/caller.js';
import { storedLimits } from '../accounts/accounts.js';
import { isPermission } from '../contract/permissions.js';
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

  return {
    cache,
    async identify(key) {
      if (!isWellFormedApiKey(key)) return undefined;
      // Cached under a digest, so that no key stays in memory. Only a miss needs the slower hash with the pepper.
      const cached = await cache.get(hash('sha256', key), () =>
        load(database, secrets.hashApiKey(key)),
      );
      if (!cached || cached.expiresAt <= currentTime()) return undefined;
      onUse(cached.caller.id);
      return cached.caller;
    },
  };
}

/** Undefined if the key does not exist or is revoked. */
async function load(
  { prisma }: Connection,
  keyHash: Uint8Array<ArrayBuffer>,
): Promise<CachedKey | undefined> {
  const found = await prisma.apiKey.findUnique({
    where: { keyHash, revokedAt: null },
    select: {
      id: true,
      accountId: true,
      agentId: true,
      permissions: true,
      expiresAt: true,
      account: { select: { tier: true, caps: true } },
    },
  });
  if (!found) return undefined;
  const { id, accountId, agentId, permissions, expiresAt, account } = found;
  return {
    caller: {
      id,
      keyId: id,
      userId: null,
      accountId,
      agentId,
      limits: storedLimits(account),
      permissions: new Set(permissions.filter(isPermission)),
      expiresAt,
    },
    expiresAt: expiresAt?.getTime() ?? Infinity,
  };
}
