/** Finds the master key: from the environment, or from a file in DATA_DIR that the first start generates. */
import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { decodeBase64 } from './environment.js';
import { MASTER_KEY_BYTES } from '../lib/crypto.js';
import { errorCode, hasCode, messageOf } from '../lib/error-code.js';

export interface SecretsKeySource {
  secretsKey: Buffer | undefined;
  dataDir: string;
}

/** A file that cannot be read, or whose loss would lock the stored data up, stops the start with what to do. */
export async function loadSecretsKey({ secretsKey, dataDir }: SecretsKeySource): Promise<Buffer> {
  if (secretsKey !== undefined) return secretsKey;
  const file = path.join(dataDir, 'secrets.key');
  const present = await readKey(file);
  if (present !== undefined) return present;
  await refuseToOrphanData(dataDir, file);
  await createKey(dataDir, file);
  const created = await readKey(file);
  if (created === undefined) throw new Error(`${file} vanished right after it was written.`);
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
    `${file} is damaged: it must hold ${MASTER_KEY_BYTES} bytes in base64. ` +
      'Restore it from a backup. Without it no stored secret opens and no API key is recognised.',
  );
}

async function refuseToOrphanData(dataDir: string, file: string): Promise<void> {
  const hasDatabase = await stat(path.join(dataDir, 'postgres')).then(
    () => true,
    () => false,
  );
  if (!hasDatabase) return;
  throw new Error(
    `${file} is missing, but ${dataDir} holds a database that was made with it. ` +
      'Restore the file from a backup, or set SECRETS_KEY to its contents.',
  );
}

// Written aside and then linked into place, so that the file is never half there, and so that of two services that
// start together both use the key of the first.
async function createKey(dataDir: string, file: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  try {
    const handle = await open(draft, 'w', 0o600);
    try {
      await handle.writeFile(`${randomBytes(MASTER_KEY_BYTES).toString('base64')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(draft, file);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
