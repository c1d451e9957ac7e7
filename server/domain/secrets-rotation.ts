/** Replaces the SECRETS_KEY that stored values are encrypted with, while instances run. */
import { setTimeout as delay } from 'node:timers/promises';
import type { KeyRing } from '../store/installation/key-ring.js';
import type { Database } from '../store/postgres/database.js';
import { readRunningInstances } from '../store/installation/instances.js';
import {
  countByKey,
  resealAll,
  sealedKinds,
  type SealedKind,
} from '../store/installation/sealed-values.js';
import { activateKey, changeoverMs, readStoredKeys } from '../store/installation/secrets-keys.js';

export type KeyRole = 'SECRETS_KEY' | 'SECRETS_KEY_PREVIOUS' | null;

/** What one key is used for. */
export interface KeyUse extends Record<SealedKind, number> {
  id: string;
  /** Where it is configured; null: nowhere. */
  role: KeyRole;
  /** Whether new values are sealed with it. */
  isActive: boolean;
  apiKeyPepper: boolean;
}

/** The configured keys, and any other that values are sealed with. */
export async function listKeyUse(database: Database, ring: KeyRing): Promise<KeyUse[]> {
  const { active, first, pepper } = await readStoredKeys(database);
  const counts = new Map<string, Map<SealedKind, number>>(
    [...ring.keys.map(({ id }) => id), active].map((id) => [id, new Map()]),
  );
  for (const kind of sealedKinds) {
    for (const [keyId, count] of await countByKey(database, kind)) {
      const id = keyId === '' ? first : keyId;
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
  }));
}

function roleOf({ keys }: KeyRing, id: string): KeyRole {
  const index = keys.findIndex((key) => key.id === id);
  if (index < 0) return null;
  return index === 0 ? 'SECRETS_KEY' : 'SECRETS_KEY_PREVIOUS';
}

/** How many running services and workers could not open what SECRETS_KEY seals. */
export async function countUnprepared(
  database: Database,
  { keys: [target] }: KeyRing,
): Promise<number> {
  const instances = await readRunningInstances(database);
  return instances.filter(({ secretsKeyIds }) => !secretsKeyIds.includes(target.id)).length;
}

export interface Rotation {
  /** Whether SECRETS_KEY was made the active key now, and not by an earlier call. */
  activated: boolean;
  resealed: number;
  /** Values that no key opens, because they were changed. */
  unreadable: string[];
}

/** Makes SECRETS_KEY the active key and seals every value with it. Can be repeated at any time, also after a crash. */
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
  // An instance may have sealed with the previous key until it learned of the change.
  await delay(changeoverMs);
  await resealEverything();
  return { activated, resealed, unreadable: [...unreadable] };
}
