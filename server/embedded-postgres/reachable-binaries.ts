/** Ensures that the user who runs PostgreSQL can reach its binaries: copies them if npm installed them in a private directory. */
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, messageOf } from '../lib/errors/error-code.js';
import type { Binaries } from './binaries.js';
import { firstInaccessibleDirectory, type User } from './directory-access.js';

const CACHE = '/var/cache/agent-hosting-service';

/** `cache` is a directory that only root can write to and all users can read. */
export async function reachableBinaries(
  binaries: Binaries,
  user: User | undefined,
  cache = CACHE,
): Promise<Binaries> {
  if (user === undefined) return binaries;
  const inaccessible = await firstInaccessibleDirectory(binaries.postgres, user);
  if (inaccessible === undefined) return binaries;
  try {
    const native = await copyOnce(path.resolve(binaries.postgres, '../..'), cache);
    const copied = (file: string) => path.join(native, 'bin', path.basename(file));
    return { initdb: copied(binaries.initdb), postgres: copied(binaries.postgres) };
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL cannot run as root, its user (uid ${user.uid}) cannot enter ${inaccessible}, and its programs cannot ` +
        `be copied to ${cache}: ${messageOf(cause)}. Move the installation to a directory that others may enter, ` +
        'start the service as an unprivileged user, or set DATABASE_URL.',
      { cause },
    );
  }
}

/** Each release of the binaries is copied once; a copy appears complete or not at all. */
async function copyOnce(native: string, cache: string): Promise<string> {
  await mkdir(cache, { recursive: true, mode: 0o755 });
  await assertTrustworthy(cache);
  const manifest = await readFile(path.resolve(native, '../package.json'), 'utf8');
  const { name, version } = JSON.parse(manifest) as { name: string; version: string };
  const copy = path.join(cache, `${path.basename(name)}-${version}`);
  if (await exists(copy)) return copy;
  const staging = await mkdtemp(`${copy}.partial-`);
  try {
    await cp(native, staging, { recursive: true, verbatimSymlinks: true });
    await makeReadable(staging);
    await rename(staging, copy);
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return copy;
}

/** A user who can write to the cache could replace the programs that PostgreSQL's user runs. */
async function assertTrustworthy(cache: string): Promise<void> {
  const { uid, mode } = await stat(cache);
  if (uid !== 0 || (mode & 0o022) !== 0) throw new Error('users other than root can write to it');
}

/** With a strict umask, only root could read the installed files. */
async function makeReadable(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) await makeReadable(file);
    if (entry.isFile()) await chmod(file, (await stat(file)).mode & 0o100 ? 0o755 : 0o644);
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
