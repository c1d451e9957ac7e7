/** The passwords of an embedded cluster: the superuser's, and that of the service's role. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { createPrivateFile } from '../lib/system/private-file.js';
import type { User } from './directory-access.js';

export const passwordFiles = { superuser: 'superuser-password', service: 'password' } as const;

export async function createPasswords(directory: string, owner: User | undefined): Promise<void> {
  for (const name of Object.values(passwordFiles)) {
    const password = randomBytes(24).toString('base64url');
    await createPrivateFile(path.join(directory, name), `${password}\n`, { owner });
  }
}
