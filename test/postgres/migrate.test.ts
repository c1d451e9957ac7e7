import { cp, mkdir, mkdtemp, rm, writeFile, readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { migrate } from '../../server/postgres/migrations/migrate.js';
import {
  MIGRATIONS_DIRECTORY,
  migrationNames,
  readMigrationState,
  SCHEMA_FILE,
} from '../../server/postgres/migrations/migrations.js';
import { listMigrations, NO_FILTERS, openSchemaEngine } from '../../scripts/db/schema-engine.js';
import { type BareDatabase, createBareDatabase, openPool } from '../helpers/database/database.js';
import { waitForLockWaiter } from '../helpers/database/lock-wait.js';

const released = await migrationNames(MIGRATIONS_DIRECTORY);

let bare: BareDatabase;
let pool: pg.Pool;
let directory: string;

beforeEach(async () => {
  bare = await createBareDatabase();
  pool = openPool({ connectionString: bare.url });
  directory = await mkdtemp(path.join(os.tmpdir(), 'migrations-'));
  await cp(MIGRATIONS_DIRECTORY, directory, { recursive: true });
});
afterEach(async () => {
  await pool.end();
  await bare.drop();
  await rm(directory, { recursive: true, force: true });
});

const apply = () => migrate({ url: bare.url, directory });

async function addMigration(name: string, script: string): Promise<void> {
  await mkdir(path.join(directory, name));
  await writeFile(path.join(directory, name, 'migration.sql'), script);
}

async function tables(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  );
  return rows.map(({ name }) => name);
}

test('an empty database is migrated completely; the next time there is nothing to do', async () => {
  expect(await migrate({ url: bare.url })).toEqual(released);
  expect(await tables()).toContain('agents');
  expect(await readMigrationState(pool)).toMatchObject({
    pending: [],
    unknown: [],
    unfinished: [],
  });
  expect(await migrate({ url: bare.url })).toEqual([]);
});

test('five instances that start at once migrate once', async () => {
  const applied = await Promise.all(Array.from({ length: 5 }, apply));
  expect(applied.filter((names) => names.length > 0)).toEqual([released]);
  const { rows } = await pool.query('SELECT FROM _prisma_migrations');
  expect(rows).toHaveLength(released.length);
});

test('only new migrations are applied, in the order of their names', async () => {
  await apply();
  await addMigration('20990101000000_first', 'CREATE TABLE first (id int);');
  await addMigration('20990102000000_second', 'ALTER TABLE first ADD COLUMN name text;');
  expect(await apply()).toEqual(['20990101000000_first', '20990102000000_second']);
});

test('Prisma confirms that all migrations are applied, with matching checksums', async () => {
  await migrate({ url: bare.url });
  const engine = await openSchemaEngine({
    datamodel: [SCHEMA_FILE, await readFile(SCHEMA_FILE, 'utf8')],
    pool,
  });
  const diagnosis = await engine.diagnoseMigrationHistory({
    migrationsList: await listMigrations(MIGRATIONS_DIRECTORY),
    optInToShadowDatabase: false,
    filters: NO_FILTERS,
  });
  expect(diagnosis).toEqual({
    editedMigrationNames: [],
    failedMigrationNames: [],
    hasMigrationsTable: true,
    history: null,
  });
});

describe('a migration that fails', () => {
  test('is rolled back together with the one before, and reported with its reason', async () => {
    await apply();
    await addMigration('20990101000000_good', 'CREATE TABLE good (id int);');
    await addMigration(
      '20990102000000_bad',
      'CREATE TABLE half (id int);\nSELECT no_such_function();',
    );
    await expect(apply()).rejects.toThrow(
      /failed and was rolled back: function no_such_function\(\) does not exist.* Where: 20990102000000_bad\/migration\.sql, line 2, column 8\.$/,
    );
    expect(await tables()).not.toContain('good');
    expect(await tables()).not.toContain('half');
    expect(await readMigrationState(pool, directory)).toMatchObject({
      pending: ['20990101000000_good', '20990102000000_bad'],
      unknown: [],
      unfinished: [],
    });
  });

  test('is retried, and succeeds, once it is fixed', async () => {
    await addMigration('20990101000000_bad', 'SELECT no_such_function();');
    await expect(apply()).rejects.toThrow(/no_such_function/);
    await writeFile(path.join(directory, '20990101000000_bad', 'migration.sql'), 'SELECT 1;');
    expect(await apply()).toEqual([...released, '20990101000000_bad']);
  });

  test('because of a missing privilege says who must own the database', async () => {
    await apply();
    await addMigration('20990101000000_bad', 'CREATE ROLE administrator SUPERUSER;');
    await expect(apply()).rejects.toThrow(/permission denied.*must own the database/);
  });
});

describe('a migration that needs a lock on a table in use', () => {
  const holdLock = async () => {
    const client = await pool.connect();
    await client.query('BEGIN; LOCK TABLE agents IN ACCESS SHARE MODE');
    return async () => {
      await client.query('COMMIT');
      client.release();
    };
  };

  test('lets others pass repeatedly, and succeeds when the table is free', async () => {
    await apply();
    await addMigration('20990101000000_column', 'ALTER TABLE agents ADD COLUMN note text;');
    const release = await holdLock();
    const applying = migrate({ url: bare.url, directory, lockTimeoutMs: 50 });
    await waitForLockWaiter(pool);
    // This would wait for ever behind a migration that waits.
    await pool.query('SELECT FROM agents');
    await release();
    expect(await applying).toEqual(['20990101000000_column']);
  });

  test('finally gives up, and says what blocks it', async () => {
    await apply();
    await addMigration('20990101000000_column', 'ALTER TABLE agents ADD COLUMN note text;');
    const release = await holdLock();
    await expect(
      migrate({ url: bare.url, directory, lockTimeoutMs: 50, giveUpAfterMs: 200 }),
    ).rejects.toThrow(/lock timeout\. Other sessions hold locks.*end long transactions/);
    await release();
  });
});

describe('a database with an unexpected history is rejected', () => {
  test('when it is newer than the release', async () => {
    await addMigration('20990101000000_future', 'SELECT 1;');
    await apply();
    await pool.query(
      `UPDATE settings SET value = '"20990101000000_future"' WHERE key = 'compatible_from'`,
    );
    await expect(migrate({ url: bare.url })).rejects.toThrow(
      /newer than this release: it has the migrations 20990101000000_future/,
    );
  });

  test('but not when the next release declares this one compatible', async () => {
    await addMigration('20990101000000_future', 'SELECT 1;');
    await apply();
    expect(await migrate({ url: bare.url })).toEqual([]);
    // A release that also lacks earlier migrations is not the compatible one.
    await pool.query(`DELETE FROM _prisma_migrations WHERE migration_name LIKE '%_init'`);
    await expect(migrate({ url: bare.url })).rejects.toThrow(/newer than this release/);
  });

  test('when it has tables of another program', async () => {
    await pool.query('CREATE TABLE orders (id int)');
    await expect(apply()).rejects.toThrow(/not the service's, such as orders\..*an empty database/);
    expect(await tables()).toEqual(['orders']);
  });

  test('when it was created before the first release', async () => {
    await apply();
    await pool.query(
      `UPDATE _prisma_migrations SET migration_name = '20261115000000_init' WHERE migration_name LIKE '%_init'`,
    );
    await expect(migrate({ url: bare.url })).rejects.toThrow(
      /before the first release \(20261115000000_init\).*Start with an empty database/,
    );
  });

  test('when another tool started a migration and never finished', async () => {
    await apply();
    await pool.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('1', '', '20990101000000_half')`,
    );
    await expect(migrate({ url: bare.url })).rejects.toThrow(
      /20990101000000_half as started but never finished.*migrate resolve/,
    );
  });
});

test('a temperature of 1, which was stored where none was set, becomes none', async () => {
  const turns = '20261118220000_turns';
  await rm(path.join(directory, turns), { recursive: true });
  await apply();
  await pool.query(`
    INSERT INTO accounts (id, name) VALUES ('acct_1', 'acme');
    INSERT INTO agents (id, account_id, name, model, temperature, updated_at)
    VALUES ('agent_1', 'acct_1', 'default', 'openai/gpt-5', 1, now()),
           ('agent_2', 'acct_1', 'set', 'openai/gpt-5', 0.3, now());
    INSERT INTO deployments (id, agent_id, environment, version, status, model, temperature, instructions, timeout_ms, history_limit, created_at)
    SELECT 'dep' || id, id, 'production', '1', 'active', model, temperature, '', 1, 1, now() FROM agents`);
  await cp(path.join(MIGRATIONS_DIRECTORY, turns), path.join(directory, turns), {
    recursive: true,
  });
  expect(await apply()).toEqual([turns]);
  for (const [table, column] of [
    ['agents', 'id'],
    ['deployments', 'agent_id'],
  ]) {
    const { rows } = await pool.query(
      `SELECT ${column} AS agent, temperature FROM ${table} ORDER BY 1`,
    );
    expect(rows).toEqual([
      { agent: 'agent_1', temperature: null },
      { agent: 'agent_2', temperature: 0.3 },
    ]);
  }
});

test('an unreachable database is explained with the variable that names it', async () => {
  const url = 'postgresql://user:password@127.0.0.1:1/agents';
  await expect(migrate({ url, variable: 'DIRECT_DATABASE_URL' })).rejects.toThrow(
    /127\.0\.0\.1:1\/agents: nothing listens there\. Check DIRECT_DATABASE_URL/,
  );
});
