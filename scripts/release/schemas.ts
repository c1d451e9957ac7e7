/** The migrations of each release, which the next release must be compatible with. */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  checksumOf,
  MIGRATIONS_DIRECTORY,
  migrationNames,
  readMigration,
} from '../../server/postgres/migrations/migrations.js';
import { inProject } from '../lib/project.js';

export const releasesFolder = inProject('test/fixtures/releases');

export interface ReleasedMigration {
  name: string;
  script: string;
}

export interface Release {
  version: string;
  migrations: ReleasedMigration[];
}

const heading = (name: string) => `-- ── ${name} `.padEnd(120, '─');
const headings = /^-- ── (\d{14}_\w+) ─+\n/m;

/** Joins the migrations into one file, which `parseSchema` splits again. */
export async function describeSchema(directory = MIGRATIONS_DIRECTORY): Promise<string> {
  const names = await migrationNames(directory);
  const scripts = names.map(async (name) => {
    const script = await readMigration(directory, name);
    return `${heading(name)}\n-- ${checksumOf(script)}\n${script}`;
  });
  return (await Promise.all(scripts)).join('');
}

export function parseSchema(text: string): ReleasedMigration[] {
  const [, ...parts] = text.split(headings);
  return parts.flatMap((name, index) => {
    if (index % 2 === 1) return [];
    const script = (parts[index + 1] ?? '').replace(/^-- [0-9a-f]{64}\n/, '');
    return [{ name, script }];
  });
}

/** The oldest first. */
export async function readReleases(): Promise<Release[]> {
  const files = await readdir(releasesFolder).catch(() => []);
  const versions = files.filter((file) => file.endsWith('.sql')).map((file) => file.slice(0, -4));
  return Promise.all(
    versions.sort(byVersion).map(async (version) => {
      const text = await readFile(path.join(releasesFolder, `${version}.sql`), 'utf8');
      return { version, migrations: parseSchema(text) };
    }),
  );
}

/** The release that `version` must be compatible with: the previous one, or for the first release itself. */
export function releaseBefore(releases: readonly Release[], version: string): Release | undefined {
  return releases.findLast((release) => byVersion(release.version, version) < 0) ?? releases[0];
}

export async function writeMigrations(
  directory: string,
  migrations: readonly ReleasedMigration[],
): Promise<void> {
  for (const { name, script } of migrations) {
    await mkdir(path.join(directory, name), { recursive: true });
    await writeFile(path.join(directory, name, 'migration.sql'), script);
  }
}

function byVersion(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
