/**
 * Recognises API keys. What it found is kept for less than a second, so that a revocation counts everywhere within
 * that time even if its announcement is lost; the announcement makes it count at once.
 */
import { hash } from 'node:crypto';
import { isWellFormedApiKey } from '../../lib/api-key.js';
import { createCache } from '../../lib/cache.js';
import type { Secrets } from '../../lib/crypto.js';
import type { Database } from '../../store/database.js';
import { findKeyHolder } from '../../store/keys.js';
import type { Caller } from '../caller.js';

export interface KeyCache {
  /** Who the key belongs to; undefined if it is unknown, expired or revoked. */
  identify: (key: string) => Promise<Caller | undefined>;
  /** Forgets a key that has changed. */
  forgetKey: (keyId: string) => void;
  /** Forgets the keys of an account that has changed. */
  forgetAccount: (accountId: string) => void;
  forgetAll: () => void;
}

interface Known {
  caller: Caller;
  expiresAt: number;
}

const keptMs = 900;
const maxKept = 10_000;

export function createKeyCache(
  database: Database,
  secrets: Secrets,
  onUse: (keyId: string) => void,
): KeyCache {
  const known = createCache<Known>({ ttlMs: keptMs, maxEntries: maxKept });

  return {
    async identify(key) {
      if (!isWellFormedApiKey(key)) return undefined;
      // Kept under a digest, so that no key lies in memory; the dearer one, with the pepper, is for the database alone.
      const found = await known.get(hash('sha256', key), () =>
        load(database, secrets.hashApiKey(key)),
      );
      if (!found || found.expiresAt <= Date.now()) return undefined;
      onUse(found.caller.id);
      return found.caller;
    },
    forgetKey: (keyId) => {
      known.invalidateWhere(({ caller }) => caller.keyId === keyId);
    },
    forgetAccount: (accountId) => {
      known.invalidateWhere(({ caller }) => caller.accountId === accountId);
    },
    forgetAll: () => {
      known.clear();
    },
  };
}

async function load(
  database: Database,
  keyHash: Uint8Array<ArrayBuffer>,
): Promise<Known | undefined> {
  const holder = await findKeyHolder(database, keyHash);
  if (!holder) return undefined;
  const { id, accountId, agentId, tier, permissions, expiresAt } = holder;
  return {
    caller: { id, keyId: id, accountId, agentId, tier, permissions: new Set(permissions) },
    expiresAt: expiresAt?.getTime() ?? Infinity,
  };
}
