/** Compares this release's migrations with those applied to a database. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { projectRoot } from '../../lib/project-files.js';
import { readMigrationRecords } from '../sql/migrations-apply.js';

export const MIGRATIONS_DIRECTORY = path.join(projectRoot, 'prisma', 'migrations');
export const SCHEMA_FILE = path.join(projectRoot, 'prisma', 'schema.prisma');

export interface MigrationState {
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
    pending: names.filter((name) => !finished.has(name)),
    unknown: [...finished].filter((name) => !names.includes(name)),
    unfinished: records.filter((record) => !record.finished).map(({ name }) => name),
  };
}
