/** Checks whether another system user can reach a file, and grants that user's group access to the data directory. */
import { chmod, chown, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

export interface User {
  uid: number;
  gid: number;
}

const SEARCH = 0o1;

/** The first directory, from the root, that the user may not search on the path to the file; undefined if none. */
export async function firstInaccessibleDirectory(
  file: string,
  user: User,
): Promise<string | undefined> {
  const real = await realpath(file);
  const start = (await stat(real)).isDirectory() ? real : path.dirname(real);
  for (const directory of ancestors(start)) {
    if (!(await maySearch(directory, user))) return directory;
  }
  return undefined;
}

/** Lets the user's group traverse a directory that only root may enter: 0700 becomes 0710. */
export async function grantGroupAccess(directory: string, user: User): Promise<void> {
  const { uid, mode } = await stat(directory);
  if (uid !== 0 || (mode & 0o077) !== 0) return;
  await chown(directory, 0, user.gid);
  await chmod(directory, (mode & 0o7777) | 0o010);
}

function ancestors(directory: string): string[] {
  const parent = path.dirname(directory);
  return parent === directory ? [directory] : [...ancestors(parent), directory];
}

async function maySearch(directory: string, user: User): Promise<boolean> {
  const { uid, gid, mode } = await stat(directory);
  if (uid === user.uid) return (mode & (SEARCH << 6)) !== 0;
  if (gid === user.gid) return (mode & (SEARCH << 3)) !== 0;
  return (mode & SEARCH) !== 0;
}
