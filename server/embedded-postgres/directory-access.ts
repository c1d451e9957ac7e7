/** Checks whether another system user can reach a file. */
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';

export interface User {
  uid: number;
  gid: number;
}

const SEARCH = 0o1;

/** Returns the first directory on the path to the file that the user may not search. Undefined: there is none. */
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
