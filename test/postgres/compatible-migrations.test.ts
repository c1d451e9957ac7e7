/** Migrations since the last release are compatible with its instances: they remove nothing, and hold no long locks. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  findIncompatibilities,
  largeTables,
  tablesOf,
} from '../../scripts/release/incompatibilities.js';
import {
  describeSchema,
  parseSchema,
  readReleases,
  releaseBefore,
} from '../../scripts/release/schemas.js';
import {
  MIGRATIONS_DIRECTORY,
  migrationNames,
  PREVIOUS_RELEASE_FILE,
  readMigration,
} from '../../server/postgres/migrations/migrations.js';
import { root } from '../helpers/programs/workspace.js';

const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
  version: string;
};
const releases = await readReleases();
const before = releaseBefore(releases, version);
const released = tablesOf(before?.migrations.map(({ script }) => script) ?? []);

describe('the migrations of a release', () => {
  test('are recorded unchanged, and can be read back', async () => {
    const names = await migrationNames(MIGRATIONS_DIRECTORY);
    const read = parseSchema(await describeSchema());
    expect(read.map(({ name }) => name)).toEqual(names);
    for (const { name, script } of [...read, ...(before?.migrations ?? [])]) {
      const [kept, own] = [script, await readMigration(MIGRATIONS_DIRECTORY, name)].map((text) =>
        createHash('sha256').update(text).digest('hex'),
      );
      expect([name, kept]).toEqual([name, own]);
    }
  });

  test('name the release that this one is compatible with', async () => {
    const told = JSON.parse(await readFile(PREVIOUS_RELEASE_FILE, 'utf8')) as object;
    // If this fails: npm run release:schema
    expect(told).toEqual({ version: before?.version, migration: before?.migrations.at(-1)?.name });
  });
});

test('no migration since the previous release breaks its instances', async () => {
  const known = new Set(before?.migrations.map(({ name }) => name));
  const names = (await migrationNames(MIGRATIONS_DIRECTORY)).filter((name) => !known.has(name));
  const problems = await Promise.all(
    names.map(async (name) => {
      const script = await readMigration(MIGRATIONS_DIRECTORY, name);
      return findIncompatibilities(script, released).map(
        ({ statement, reason }) => `${name}: ${reason}: ${statement}`,
      );
    }),
  );
  // Do it in two releases: stop using it in this one, and remove it in the next. A statement that is safe anyway says
  // why in a comment above it: -- compatible: …
  expect(problems.flat()).toEqual([]);
});

describe('the check of migrations', () => {
  test('knows the existing tables', () => {
    expect(largeTables.filter((table) => !released.has(table))).toEqual([]);
  });

  const reasonsOf = (script: string) =>
    findIncompatibilities(script, released).map(({ reason }) => reason);

  test.each([
    ['DROP TABLE "agents";', 'reads the table'],
    ['ALTER TABLE "agents" DROP COLUMN "model";', 'reads the column'],
    ['ALTER TABLE "agents" RENAME COLUMN "model" TO "engine";', 'by its old name'],
    ['ALTER TABLE agents RENAME TO bots;', 'by its old name'],
    ['ALTER TABLE "agents" ALTER COLUMN "model" SET DATA TYPE varchar(10);', 'changes a type'],
    ['ALTER TABLE "agents" ALTER COLUMN "endpoint" SET NOT NULL;', 'may write NULL'],
    ['ALTER TABLE "agents" ADD COLUMN "a" INT NOT NULL;', 'give it a DEFAULT'],
    [
      'ALTER TABLE "agents" ADD COLUMN "a" INT NOT NULL DEFAULT 1,\nADD COLUMN "b" INT NOT NULL;',
      'give it a DEFAULT',
    ],
    ['ALTER TABLE "agents" ADD CONSTRAINT "c" CHECK (true);', 'add it NOT VALID'],
    ['CREATE UNIQUE INDEX "i" ON "agents"("model");', 'may break it'],
    ['CREATE INDEX "i" ON "log_entries"("message");', 'locks out the writers'],
    ['UPDATE "invocations" SET "model" = \'x\';', 'in one transaction'],
    [
      'ALTER TABLE events ADD COLUMN size int GENERATED ALWAYS AS (length(body)) STORED;',
      'rewrites a large table',
    ],
    ['-- A remark.\nLOCK TABLE agents IN EXCLUSIVE MODE;', 'locks others out'],
  ])('finds %j', (script, reason) => {
    expect(reasonsOf(script)).toEqual([expect.stringContaining(reason)]);
  });

  test.each([
    'CREATE TABLE "plans" ("id" TEXT NOT NULL);\nALTER TABLE "plans" DROP COLUMN "id";',
    'ALTER TABLE "agents" ADD COLUMN "note" TEXT;',
    'ALTER TABLE "agents" ADD COLUMN "a" INTEGER NOT NULL DEFAULT 0;',
    'ALTER TABLE "agents" ADD CONSTRAINT "c" CHECK (true) NOT VALID;',
    'CREATE INDEX "i" ON "agents"("model");',
    'CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE "events" SET a = 1; DROP TABLE agents; END $$;',
    '-- compatible: nothing has read it since 0.1.0\nALTER TABLE "agents" DROP COLUMN "model";',
  ])('accepts %j', (script) => {
    expect(reasonsOf(script)).toEqual([]);
  });
});
