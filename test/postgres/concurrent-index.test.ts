/** Migrations that build an index: concurrent with writes, once for several starting instances, and restartable. */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { concurrentIndexIn } from '../../server/postgres/migrations/concurrent-index.sql.js';
import { migrate } from '../../server/postgres/migrations/migrate.js';
import {
  MIGRATIONS_DIRECTORY,
  readMigrationState,
} from '../../server/postgres/migrations/migrations.js';
import { type BareDatabase, createBareDatabase, openPool } from '../helpers/database/database.js';
import { waitForLockWaiter } from '../helpers/database/lock-wait.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const table = '20990101000000_table';
const index = '20990102000000_index';
const column = '20990103000000_column';
const scripts = {
  [table]: 'CREATE TABLE notes (id int, text text);',
  [index]: '-- Searched often.\nCREATE INDEX CONCURRENTLY "notes_text"\n  ON notes (text);\n',
  [column]: 'ALTER TABLE notes ADD COLUMN author text;',
};

let bare: BareDatabase;
let pool: pg.Pool;
let directory: string;

beforeEach(async () => {
  bare = await createBareDatabase();
  pool = openPool({ connectionString: bare.url });
  // A connection that is still closing may be terminated when the database is dropped.
  pool.on('connect', (client) => client.on('error', () => undefined));
  directory = await temporaryFolder();
  await cp(MIGRATIONS_DIRECTORY, directory, { recursive: true });
});
afterEach(async () => {
  await pool.end();
  await bare.drop();
});

const apply = (names: (keyof typeof scripts)[] = []) => addMigrations(names).then(start);
const start = () => migrate({ url: bare.url, directory });

async function addMigrations(names: (keyof typeof scripts)[]): Promise<void> {
  for (const name of names) {
    await mkdir(path.join(directory, name));
    await writeFile(path.join(directory, name, 'migration.sql'), scripts[name]);
  }
}

async function isValid(): Promise<boolean | undefined> {
  const { rows } = await pool.query<{ indisvalid: boolean }>(
    `SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('notes_text')`,
  );
  return rows[0]?.indisvalid;
}

/** Building an index waits for earlier writers of the table. */
async function holdTable() {
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query(`INSERT INTO notes VALUES (1, 'before')`);
  return async () => {
    await client.query('COMMIT');
    client.release();
  };
}

/** The session that builds the index, once it waits. */
const building = () => waitForLockWaiter(pool, 'INDEX CONCURRENTLY');

describe('an index of its own migration', () => {
  test('is built during writes, between the migrations before and after it', async () => {
    await apply([table]);
    const release = await holdTable();
    const applying = apply([index, column]);
    await building();
    await pool.query(`INSERT INTO notes VALUES (2, 'meanwhile')`);
    await release();
    expect(await applying).toEqual([index, column]);
    expect(await isValid()).toBe(true);
    expect(await readMigrationState(pool, directory)).toMatchObject({
      pending: [],
      unfinished: [],
    });
  });

  test('is built once by several instances that start at once, without blocking each other', async () => {
    await apply([table]);
    await addMigrations([index, column]);
    const release = await holdTable();
    const starting = Array.from({ length: 3 }, start);
    await building();
    await release();
    const applied = await Promise.all(starting);
    expect(applied.filter((names) => names.length > 0)).toEqual([[index, column]]);
    expect(await isValid()).toBe(true);
  });

  test('that was interrupted is dropped, and built again', async () => {
    await apply([table]);
    const release = await holdTable();
    const interrupted = expect(apply([index, column])).rejects.toThrow('A migration failed');
    const pid = await building();
    await pool.query('SELECT pg_terminate_backend($1)', [pid]);
    await interrupted;
    expect(await isValid()).toBe(false);
    await release();
    expect(await start()).toEqual([index, column]);
    expect(await isValid()).toBe(true);
  });

  test('that was built and not recorded is found', async () => {
    await apply([table]);
    await pool.query('CREATE INDEX notes_text ON notes (text)');
    expect(await apply([index])).toEqual([index]);
  });

  test('leaves nothing behind if it cannot be built', async () => {
    await apply([table]);
    await pool.query(
      `INSERT INTO notes SELECT 1, string_agg(md5(n::text), '') FROM generate_series(1, 5000) n`,
    );
    await expect(apply([index])).rejects.toThrow(/index row .*maximum size/);
    expect(await isValid()).toBeUndefined();
    await pool.query('DELETE FROM notes');
    expect(await start()).toEqual([index]);
  });

  test('is part of the single transaction on a new database', async () => {
    await addMigrations([table, index]);
    await mkdir(path.join(directory, column));
    await writeFile(path.join(directory, column, 'migration.sql'), 'SELECT no_such_function();');
    await expect(start()).rejects.toThrow('no_such_function');
    expect((await readMigrationState(pool, directory)).pending).toContain(table);
    await writeFile(path.join(directory, column, 'migration.sql'), scripts[column]);
    expect(await start()).toContain(index);
    expect(await isValid()).toBe(true);
  });
});

test.each([
  'CREATE INDEX "notes_text" ON notes (text);',
  'CREATE INDEX CONCURRENTLY a ON notes (text); CREATE INDEX CONCURRENTLY b ON notes (text);',
  'CREATE TABLE a (b int); CREATE INDEX CONCURRENTLY c ON a (b);',
  '-- CREATE INDEX CONCURRENTLY a ON notes (text);',
])('%j is not one', (script) => {
  expect(concurrentIndexIn(script)).toBeUndefined();
});
