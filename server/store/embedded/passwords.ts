/** The passwords of an embedded cluster: one of the superuser, and one of the service's role. */
import { randomBytes } from 'node:crypto';
import { chown, link, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../../lib/error-code.js';
import type { User } from './directory-access.js';

export const passwordFiles = { superuser: 'superuser-password', service: 'password' } as const;

/** Creates the files that are missing: both of a new cluster, the superuser's of one that had a single password. */
export async function createPasswords(directory: string, owner: User | undefined): Promise<void> {
  for (const name of Object.values(passwordFiles)) await createPassword(directory, name, owner);
}

// The file appears complete or not at all, and of two services that start at the same time both use that of the first.
async function createPassword(
  directory: string,
  name: string,
  owner: User | undefined,
): Promise<void> {
  const file = path.join(directory, name);
  const temporaryFile = `${file}.partial-${process.pid}`;
  try {
    const handle = await open(temporaryFile, 'w', 0o600);
    try {
      await handle.writeFile(`${randomBytes(24).toString('base64url')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (owner !== undefined) await chown(temporaryFile, owner.uid, owner.gid);
    await link(temporaryFile, file);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(temporaryFile, { force: true });
  }
}
