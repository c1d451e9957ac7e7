/**
 * Records in the database which SECRETS_KEY is active. All instances seal with the active key, so that `operator secrets rotate`
 * switches them together.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { commandLine } from '../contract/command-line.js';
import { keyIdOf, type SecretsKey } from '../lib/crypto/sealing.js';
import { sealContexts } from './seal-contexts.js';
import type { KeyRing } from './key-ring.js';
import { DatabaseProblem } from '../postgres/connection-problem.js';
import type { Connection } from '../postgres/connection.js';
import type { Database } from '../postgres/database.js';
import { countSealed } from './sealed-values.js';
import { takeTransactionLock } from '../postgres/advisory-lock.sql.js';
import { insertSetting, readSetting } from './settings.sql.js';

const ACTIVE = 'secrets_key_fingerprint';
/** The ids of keys that were active before. */
const RETIRED = 'secrets_keys_retired';
const PEPPER = 'api_key_pepper';

/** How often an instance with several keys checks which of them is active. */
const pollMs = 1_000;
/** After this time, no running instance seals with the previously active key. */
export const changeoverMs = 3 * pollMs;

/**
 * Selects the active key for sealing, and loads the pepper. The first start on a database makes SECRETS_KEY the active key.
 * Throws a DatabaseProblem if a key that stored values need is not configured.
 */
export async function adoptStoredKeys(connection: Connection, ring: KeyRing): Promise<void> {
  const [current] = ring.keys;
  await insertSetting(connection, ACTIVE, current.fingerprint);
  const active = String(await readSetting(connection, ACTIVE));
  const sealing = ring.keys.find(({ fingerprint }) => fingerprint === active);
  if (!sealing) {
    throw new DatabaseProblem(
      `The data of this database was written with another SECRETS_KEY: the key ${keyIdOfFingerprint(active)}, whereas SECRETS_KEY is the key ` +
        `${current.id}. Set SECRETS_KEY to that one, or add it to SECRETS_KEY_PREVIOUS if you are rotating keys. Without it no ` +
        'stored secret opens and no API key is recognised.',
    );
  }
  ring.sealWith(sealing);
  await assertRetiredKeysUnused(connection, ring);
  await insertSetting(connection, PEPPER, sealPepper(sealing, sealing.pepper));
  ring.usePepper(ring.open(await readPepper(connection), sealContexts.apiKeyPepper));
}

async function assertRetiredKeysUnused(connection: Connection, ring: KeyRing): Promise<void> {
  const retired = await readRetired(connection);
  const missing = retired.filter((id) => ring.keys.every((key) => key.id !== id));
  if (missing.length === 0) return;
  const pepper = keyIdOf(await readPepper(connection));
  const values = (await countSealed(connection, missing)) + (missing.includes(pepper) ? 1 : 0);
  if (values === 0) return;
  throw new DatabaseProblem(
    `${values} stored ${values === 1 ? 'value is' : 'values are'} still encrypted with a previous SECRETS_KEY (key ` +
      `${missing.join(' or ')}). Add it to SECRETS_KEY_PREVIOUS, run: ${commandLine('secrets', 'rotate')}, and remove it after that.`,
  );
}

interface ActiveKeyWatch {
  stop: () => Promise<void>;
}

/** Switches to another key when it becomes the active one. Does nothing in a process with a single key. */
export function followActiveKey(
  connection: Connection,
  ring: KeyRing,
  onError: (error: unknown) => void,
): ActiveKeyWatch {
  const stop = new AbortController();
  const isStopped = () => stop.signal.aborted;
  const follow = async () => {
    while (ring.keys.length > 1 && !isStopped()) {
      await delay(pollMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
      if (isStopped()) return;
      try {
        const active = await readSetting(connection, ACTIVE);
        const key = ring.keys.find(({ fingerprint }) => fingerprint === active);
        if (key) ring.sealWith(key);
        else
          throw new Error(
            `The active SECRETS_KEY, ${keyIdOfFingerprint(String(active))}, is not configured.`,
          );
      } catch (error) {
        onError(error);
      }
    }
  };
  const finished = follow();
  return {
    stop: async () => {
      stop.abort();
      await finished;
    },
  };
}

/** Makes SECRETS_KEY the active key, and seals the pepper with it. Returns false if it is already active. */
export async function activateKey(database: Database, ring: KeyRing): Promise<boolean> {
  const [target] = ring.keys;
  const changed = await database.transaction(async (transaction) => {
    await takeTransactionLock(transaction, 'active secrets key');
    const before = keyIdOfFingerprint(String(await readSetting(transaction, ACTIVE)));
    await writeSetting(transaction, ACTIVE, target.fingerprint);
    const retired = [...(await readRetired(transaction)), before];
    await writeSetting(transaction, RETIRED, [
      ...new Set(retired.filter((id) => id !== target.id)),
    ]);
    const pepper = ring.open(await readPepper(transaction), sealContexts.apiKeyPepper);
    await writeSetting(transaction, PEPPER, sealPepper(target, pepper));
    return before !== target.id;
  });
  ring.sealWith(target);
  return changed;
}

interface StoredKeys {
  active: string;
  pepper: string;
}

/** The ids of the keys in use. */
export async function readStoredKeys(connection: Connection): Promise<StoredKeys> {
  const active = keyIdOfFingerprint(String(await readSetting(connection, ACTIVE)));
  return { active, pepper: keyIdOf(await readPepper(connection)) };
}

function sealPepper(key: SecretsKey, pepper: Uint8Array): string {
  return key.seal(pepper, sealContexts.apiKeyPepper).toString('base64');
}

async function readPepper(connection: Connection): Promise<Buffer> {
  return Buffer.from(String(await readSetting(connection, PEPPER)), 'base64');
}

async function readRetired(connection: Connection): Promise<string[]> {
  const value = await readSetting(connection, RETIRED);
  return Array.isArray(value) ? value.map(String) : [];
}

export function keyIdOfFingerprint(fingerprint: string): string {
  return Buffer.from(fingerprint, 'base64url').toString('hex', 0, 4);
}

async function writeSetting(
  { prisma }: Connection,
  key: string,
  value: string | string[],
): Promise<void> {
  await prisma.setting.upsert({ where: { key }, create: { key, value }, update: { value } });
}
