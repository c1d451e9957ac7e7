/** Data directories for services that run their own PostgreSQL, and a check whether it runs. */
import { chown, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isAlive } from '../../../server/embedded-postgres/postmaster.js';
import { temporaryFolder } from '../programs/workspace.js';

/** An empty folder, optionally owned by another user, that is removed after the tests of the file. */
export async function dataDirectory(owner?: { uid: number; gid: number }): Promise<string> {
  const folder = await temporaryFolder();
  if (owner) await chown(folder, owner.uid, owner.gid);
  return folder;
}

/** The process id of the PostgreSQL on the directory; undefined if none runs. */
export async function postgresOn(dataDir: string): Promise<number | undefined> {
  const file = path.join(dataDir, 'postgres/data/postmaster.pid');
  const text = await readFile(file, 'utf8').catch(() => '');
  const pid = Number(text.split('\n')[0]);
  return pid > 0 && isAlive(pid) ? pid : undefined;
}
