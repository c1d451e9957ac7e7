/** Compares this release's migrations with those applied to a database. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { projectRoot } from '../../contract/project-files.js';
import { readMigrationRecords } from './history.sql.js';

export const MIGRATIONS_DIRECTORY = path.join(projectRoot, 'prisma', 'migrations');
export const SCHEMA_FILE = path.join(projectRoot, 'prisma', 'schema.prisma');
export const PREVIOUS_RELEASE_FILE = path.join(projectRoot, 'prisma', 'previous-release.json');

export interface MigrationState {
  /** The first migration of this release. */
  first: string;
  /** The last migration of this release. */
  last: string;
  /** Not applied yet, in order. */
  pending: string[];
  /** Applied, but not part of this release. */
  unknown: string[];
  /** Started by another tool and never finished. */
  unfinished: string[];
}

export async function migrationNames(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

export async function readMigration(directory: string, name: string): Promise<string> {
  return readFile(path.join(directory, name, 'migration.sql'), 'utf8');
}

/** As Prisma records it for an applied script. */
export function checksumOf(script: string): string {
  return createHash('sha256').update(script).digest('hex');
}

/** Why this release cannot use the data, which is from before the first one. Undefined: it is not. */
export function problemWithOldData({
  first,
  unknown,
}: Pick<MigrationState, 'first' | 'unknown'>): string | undefined {
  const old = unknown.find((name) => name < first);
  return (
    old &&
    `The data was written by a version before the first release (${old}), whose tables this one cannot take over.`
  );
}

interface Release {
  version: string;
  /** Its last migration. */
  migration: string;
}

/** Instances of the previous release must be able to run on the tables of this one, which tests verify. */
export async function previousRelease(): Promise<Release> {
  return JSON.parse(await readFile(PREVIOUS_RELEASE_FILE, 'utf8')) as Release;
}

/** Whether this release can run on tables that have migrations of the next one too. */
export function canRunOn(
  { last, pending }: Pick<MigrationState, 'last' | 'pending'>,
  compatibleFrom: string | null | undefined,
): boolean {
  return pending.length === 0 && typeof compatibleFrom === 'string' && compatibleFrom <= last;
}

/** Costs one query. */
export async function readMigrationState(
  connection: pg.Pool | pg.ClientBase,
  directory = MIGRATIONS_DIRECTORY,
): Promise<MigrationState> {
  const [names, records] = await Promise.all([
    migrationNames(directory),
    readMigrationRecords(connection),
  ]);
  const finished = new Set(records.filter((record) => record.finished).map(({ name }) => name));
  return {
    first: names[0] ?? '',
    last: names.at(-1) ?? '',
    pending: names.filter((name) => !finished.has(name)),
    unknown: [...finished].filter((name) => !names.includes(name)),
    unfinished: records.filter((record) => !record.finished).map(({ name }) => name),
  };
}
