/** Replaces the SECRETS_KEY that encrypts stored values, without stopping the service. */
import { setTimeout as delay } from 'node:timers/promises';
import type { KeyRing } from './key-ring.js';
import type { Database } from '../postgres/database.js';
import { readRunningInstances } from '../postgres/instances.js';
import { countByKey, resealAll, sealedKinds, type SealedKind } from './sealed-values.js';
import { activateKey, changeoverMs, readStoredKeys } from './secrets-keys.js';

type KeyRole = 'SECRETS_KEY' | 'SECRETS_KEY_PREVIOUS' | null;

/** The number of values of each kind that a key encrypts. */
export interface KeyUse extends Record<SealedKind, number> {
  id: string;
  /** The variable that configures the key; null if none does. */
  role: KeyRole;
  /** Whether the key encrypts new values. */
  isActive: boolean;
  apiKeyPepper: boolean;
}

/** The configured keys, and all others that still encrypt values. */
export async function listKeyUse(database: Database, ring: KeyRing): Promise<KeyUse[]> {
  const { active, pepper } = await readStoredKeys(database);
  const counts = new Map<string, Map<SealedKind, number>>(
    [...ring.keys.map(({ id }) => id), active].map((id) => [id, new Map()]),
  );
  for (const kind of sealedKinds) {
    for (const [id, count] of await countByKey(database, kind)) {
      const ofKey = counts.get(id) ?? new Map<SealedKind, number>();
      ofKey.set(kind, (ofKey.get(kind) ?? 0) + count);
      counts.set(id, ofKey);
    }
  }
  return [...counts].map(([id, ofKey]) => ({
    id,
    role: roleOf(ring, id),
    isActive: id === active,
    apiKeyPepper: id === pepper,
    webhooks: ofKey.get('webhooks') ?? 0,
    mfaEnrolments: ofKey.get('mfaEnrolments') ?? 0,
    idempotencyRecords: ofKey.get('idempotencyRecords') ?? 0,
    streamEvents: ofKey.get('streamEvents') ?? 0,
    runSteps: ofKey.get('runSteps') ?? 0,
  }));
}

function roleOf({ keys }: KeyRing, id: string): KeyRole {
  const index = keys.findIndex((key) => key.id === id);
  if (index < 0) return null;
  return index === 0 ? 'SECRETS_KEY' : 'SECRETS_KEY_PREVIOUS';
}

/** How many running services and workers do not have the current SECRETS_KEY. */
export async function countInstancesWithoutKey(
  database: Database,
  { keys: [target] }: KeyRing,
): Promise<number> {
  const instances = await readRunningInstances(database);
  return instances.filter(({ secretsKeyIds }) => !secretsKeyIds.includes(target.id)).length;
}

interface Rotation {
  /** Whether this call made SECRETS_KEY the active key, rather than an earlier one. */
  activated: boolean;
  resealed: number;
  /** Values that no key can decrypt, because they were altered. */
  unreadable: string[];
}

/** Makes SECRETS_KEY the active key and re-encrypts every value with it. Can be repeated at any time, for example after a crash. */
export async function rotateKeys(
  database: Database,
  ring: KeyRing,
  onProgress: (resealed: number) => void,
): Promise<Rotation> {
  const activated = await activateKey(database, ring);
  const unreadable = new Set<string>();
  let resealed = 0;
  const resealEverything = async () => {
    for (const kind of sealedKinds) {
      await resealAll(database, ring, kind, {
        onProgress: (count) => {
          resealed += count;
          onProgress(resealed);
        },
        onUnreadable: (context) => unreadable.add(context),
      });
    }
  };
  await resealEverything();
  // Instances may use the previous key until they have noticed the change.
  await delay(changeoverMs);
  await resealEverything();
  return { activated, resealed, unreadable: [...unreadable] };
}
