/** What `npm ci --omit=dev` installs, computed from the lock file: what the service needs, and no tool of development. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from './helpers/programs/workspace.js';

interface LockedPackage {
  dev?: boolean;
  /** A workspace entry is a link to its folder. */
  link?: boolean;
  resolved?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const { packages } = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const project = packages[''] ?? {};

/** Resolves like Node: the nearest node_modules upwards that has the package. */
function resolve(name: string, from: string): string | undefined {
  const folders = [from, ...ancestors(from)];
  const found = folders
    .map((folder) => path.posix.join(folder, 'node_modules', name))
    .find((candidate) => candidate in packages);
  return found !== undefined && packages[found]?.link ? packages[found].resolved : found;
}

function ancestors(folder: string): string[] {
  return folder === '' ? [] : [parentOf(folder), ...ancestors(parentOf(folder))];
}

function parentOf(folder: string): string {
  const parent = path.posix.dirname(folder);
  return parent === '.' ? '' : parent;
}

type Kind = 'dependencies' | 'optionalDependencies';

/** The paths of all packages that are reachable from the project by these kinds of dependencies. */
function reached(...kinds: Kind[]): Set<string> {
  const found = new Set<string>();
  const visit = (place: string) => {
    if (found.has(place)) return;
    found.add(place);
    const names = kinds.flatMap((kind) => Object.keys(packages[place]?.[kind] ?? {}));
    for (const name of names) {
      const target = resolve(name, place);
      if (target !== undefined) visit(target);
    }
  };
  ['', 'client'].forEach(visit);
  for (const own of ['', 'client']) found.delete(own);
  return found;
}

function nameOf(place: string): string {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

const needed = reached('dependencies', 'optionalDependencies');

/** The packages that npm installs for production, by its own flags in the lock file. */
const installed = new Set(
  Object.entries(packages).flatMap(([place, { dev, link }]) =>
    place.includes('node_modules/') && !dev && !link ? [place] : [],
  ),
);
const names = new Set(Array.from(installed, nameOf));

describe('a production install', () => {
  test('contains what the dependencies need, and nothing else', () => {
    expect([...installed].sort()).toEqual([...needed].sort());
  });

  test.each(['react', 'mysql2', 'typescript', 'prisma', '@prisma/dev', 'effect', 'tsx', 'jest'])(
    'has no %s',
    (name) => {
      expect(names).not.toContain(name);
    },
  );

  test('has no development dependency except those that the client and @prisma/adapter-pg need', () => {
    const tools = Object.keys(project.devDependencies ?? {}).filter(
      // Some packages list types as dependencies.
      (name) => !name.startsWith('@types/'),
    );
    const both = tools.filter((name) => names.has(name));
    expect(both).toEqual(['@prisma/driver-adapter-utils', 'openapi-fetch']);
  });

  test('has every peer that one of its packages requires', () => {
    const missing = [...installed].flatMap((place) => {
      const { peerDependencies = {}, peerDependenciesMeta = {} } = packages[place] ?? {};
      return Object.keys(peerDependencies)
        .filter((name) => peerDependenciesMeta[name]?.optional !== true)
        .filter((name) => !installed.has(resolve(name, place) ?? ''))
        .map((name) => `${nameOf(place)} → ${name}`);
    });
    // The validator names these types as a peer, which nothing needs at run time.
    expect(missing.filter((one) => !one.includes('@types/'))).toEqual([]);
  });

  test('has only packages whose purpose CONTRIBUTING names', async () => {
    const text = await readFile(path.join(root, 'CONTRIBUTING.md'), 'utf8');
    const [, table = ''] = text.split('## Why each dependency');
    const explained = new Set(
      [...table.matchAll(/^\| ([^|]+?) +\|/gm)].flatMap(([, cell = '']) => cell.split(', ')),
    );
    const direct = { ...project.dependencies, ...project.optionalDependencies };
    expect(Object.keys(direct).filter((name) => !explained.has(name))).toEqual([]);
  });
});
