/** Loads the secrets keys from the environment, or from files in DATA_DIR. The first start generates the current key. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { decodeBase64 } from './environment.js';
import { MASTER_KEY_BYTES } from '../lib/crypto/sealing.js';
import { prepareDataDirectory } from './data-directory.js';
import { errorCode, messageOf } from '../lib/errors/error-code.js';
import { createPrivateFile, loosePermissions } from '../lib/system/private-file.js';

const keyFile = 'secrets.key';

interface SecretsKeySource {
  secretsKey: Buffer | undefined;
  previousSecretsKeys: Buffer[];
  dataDir: string;
}

interface SecretsKeys {
  current: Buffer;
  previous: Buffer[];
}

/** Throws an error that says what to do if a file cannot be read, or is missing although stored data depends on it. */
export async function loadSecretsKeys(source: SecretsKeySource): Promise<SecretsKeys> {
  if (source.secretsKey === undefined) await prepareDataDirectory(source.dataDir);
  return loadKeys(source, async (file) => (await readKey(file)) ?? createKey(source.dataDir, file));
}

/** Like `loadSecretsKeys`, but does not create a key. Undefined if there is none. */
export async function findSecretsKeys(source: SecretsKeySource): Promise<SecretsKeys | undefined> {
  const { current, previous } = await loadKeys(source, readKey);
  return current && { current, previous };
}

/** Returns advice for the directory and each of its key files that other users can access. */
export async function findLoosePermissions(dataDir: string): Promise<string[]> {
  const file = path.join(dataDir, keyFile);
  const found = await Promise.all([dataDir, file, `${file}.previous`].map(loosePermissions));
  return found.filter((advice) => advice !== undefined);
}

async function loadKeys<Key extends Buffer | undefined>(
  { secretsKey, previousSecretsKeys: previous, dataDir }: SecretsKeySource,
  load: (file: string) => Promise<Key>,
): Promise<{ current: Key | Buffer; previous: Buffer[] }> {
  if (secretsKey !== undefined) return { current: secretsKey, previous };
  const file = path.join(dataDir, keyFile);
  const previousInFile = await readKey(`${file}.previous`);
  return {
    current: await load(file),
    previous: previousInFile === undefined ? previous : [...previous, previousInFile],
  };
}

async function createKey(dataDir: string, file: string): Promise<Buffer> {
  assertNoDatabase(dataDir, file);
  await createPrivateFile(file, `${randomBytes(MASTER_KEY_BYTES).toString('base64')}\n`);
  const created = await readKey(file);
  if (created === undefined) throw new Error(`${file} disappeared right after it was written.`);
  return created;
}

async function readKey(file: string): Promise<Buffer | undefined> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    if (errorCode(cause) === 'ENOENT') return undefined;
    throw new Error(
      `${file} cannot be read: ${messageOf(cause)}. Start the service as its owner, or set SECRETS_KEY.`,
      { cause },
    );
  });
  if (text === undefined) return undefined;
  const key = decodeBase64(text.trim());
  if (key?.length === MASTER_KEY_BYTES) return key;
  throw new Error(
    `${file} is damaged: it must contain ${MASTER_KEY_BYTES} bytes in base64. ` +
      'Restore it from a backup. Without it no stored secret can be decrypted and no API key works.',
  );
}

/** A new key would make the data of an existing database unreadable. */
function assertNoDatabase(dataDir: string, file: string): void {
  if (!existsSync(path.join(dataDir, 'postgres'))) return;
  throw new Error(
    `${file} is missing, but ${dataDir} contains a database that was created with it. ` +
      'Restore the file from a backup, or set SECRETS_KEY to its contents.',
  );
}
