/**
 * Recognises API keys. What it found is kept for less than a second, so that a revocation counts everywhere within
 * that time even if its announcement is lost; the announcement makes it count at once.
 */
import { hash } from 'node:crypto';
import { isWellFormedApiKey } from '../../lib/api-key.js';
import { createCache } from '../../lib/cache.js';
import type { Secrets } from '../../lib/crypto.js';
import type { Sql } from '../../store/sql.js';
import { findKeyHolder } from '../../store/keys.js';
import type { Caller } from '../caller.js';

export interface KeyCache {
  /** Who the key belongs to; undefined if it is unknown, expired or revoked. */
  identify: (key: string) => Promise<Caller | undefined>;
  /** Forgets a key that has changed. */
  invalidateKey: (keyId: string) => void;
  /** Forgets the keys of an account that has changed. */
  invalidateAccount: (accountId: string) => void;
  clear: () => void;
}

interface CachedKey {
  caller: Caller;
  expiresAt: number;
}

const keptMs = 900;
const maxKept = 10_000;

export function createKeyCache(
  sql: Sql,
  secrets: Secrets,
  onUse: (keyId: string) => void,
): KeyCache {
  const known = createCache<CachedKey>({ ttlMs: keptMs, maxEntries: maxKept });

  return {
    async identify(key) {
      if (!isWellFormedApiKey(key)) return undefined;
      // Kept under a digest, so that no key lies in memory; the dearer one, with the pepper, is for the database alone.
      const found = await known.get(hash('sha256', key), () => load(sql, secrets.hashApiKey(key)));
      if (!found || found.expiresAt <= Date.now()) return undefined;
      onUse(found.caller.id);
      return found.caller;
    },
    invalidateKey: (keyId) => {
      known.invalidateWhere(({ caller }) => caller.keyId === keyId);
    },
    invalidateAccount: (accountId) => {
      known.invalidateWhere(({ caller }) => caller.accountId === accountId);
    },
    clear: () => {
      known.clear();
    },
  };
}

async function load(sql: Sql, keyHash: Uint8Array): Promise<CachedKey | undefined> {
  const holder = await findKeyHolder(sql, keyHash);
  if (!holder) return undefined;
  const { id, accountId, agentId, tier, permissions, expiresAt } = holder;
  return {
    caller: { id, keyId: id, accountId, agentId, tier, permissions: new Set(permissions) },
    expiresAt: expiresAt?.getTime() ?? Infinity,
  };
}
