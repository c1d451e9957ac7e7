/** Files that are not a backup, are damaged, or were crafted: rejected without any change. */
import { mkdir, writeFile, cp } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createHash } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readTar, tarBlocks, tarEnd, type TarEntry } from '../../server/lib/data/tar.js';
import type { BackupHeader, BackupTotals } from '../../server/backup/format.js';
import { verifyBackup } from '../../server/backup/read-backup.js';
import { restoreBackup } from '../../server/backup/restore-backup.js';
import { writeBackup } from '../../server/backup/write-backup.js';
import { MIGRATIONS_DIRECTORY } from '../../server/postgres/migrations/migrations.js';
import {
  type BareDatabase,
  createBareDatabase,
  query,
  useDatabase,
} from '../helpers/database/database.js';
import { insertAccount, insertAgent } from '../helpers/database/rows.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const origin = useDatabase();
const zeros = Buffer.alloc(16 * 1024 ** 2);
let good: Buffer;
let bare: BareDatabase;

beforeAll(async () => {
  const accountId = await insertAccount(origin.database);
  await insertAgent(origin.database, accountId);
  const chunks: Buffer[] = [];
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  await writeBackup({ url: origin.url, service: '0.1.0' }, output);
  good = Buffer.concat(chunks);
});

beforeEach(async () => {
  bare = await createBareDatabase();
});
afterEach(() => bare.drop());

const restore = (bytes: Buffer, directory?: string) =>
  restoreBackup(
    { url: bare.url, assertUsable: () => undefined, ...(directory ? { directory } : {}) },
    Readable.from([bytes], { objectMode: false }),
  );

async function tables(): Promise<string[]> {
  const rows = await query<{ name: string }>(
    bare.url,
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`,
  );
  return rows.map(({ name }) => name);
}

async function entriesOf(bytes: Buffer): Promise<TarEntry[]> {
  const entries: TarEntry[] = [];
  const source = Readable.from([gunzipSync(bytes)], { objectMode: false });
  for await (const entry of readTar(source as AsyncIterable<Buffer>, 1e7)) entries.push(entry);
  return entries;
}

function pack(entries: TarEntry[]): Buffer {
  const blocks = entries.map((entry) => tarBlocks(entry, new Date()));
  return gzipSync(Buffer.concat([...blocks, tarEnd]));
}

/** A backup that was changed by an attacker who knows the format. */
async function forged(change: {
  header?: (header: BackupHeader) => void;
  totals?: (totals: BackupTotals) => void;
  entries?: (entries: TarEntry[]) => TarEntry[];
}): Promise<Buffer> {
  const edited = (await entriesOf(good)).map((entry) => {
    const edit = { 'backup.json': change.header, 'totals.json': change.totals }[entry.name];
    if (edit === undefined) return entry;
    const value = JSON.parse(entry.content.toString()) as BackupHeader & BackupTotals;
    edit(value);
    return { ...entry, content: Buffer.from(JSON.stringify(value)) };
  });
  return pack(change.entries ? change.entries(edited) : edited);
}

test('a backup can be verified, and unpacked by any tar', async () => {
  const header = await verifyBackup(Readable.from([good]), () => undefined);
  expect(header.tables.map(({ name }) => name)).toContain('agents');
  expect((await entriesOf(good)).map(({ name }) => name)).toContain('tables/agents/000000001');
});

test('a valid backup is restored once; a truncated one never', async () => {
  for (const share of [0, 0.001, 0.5, 0.99]) {
    const cut = good.subarray(0, Math.floor(good.length * share));
    await expect(restore(cut)).rejects.toThrow(/ends too early|not a backup/);
  }
  await expect(restore(good.subarray(0, -1))).rejects.toThrow(/ends too early/);
  expect(await tables()).toEqual([]);
  await restore(good);
  expect(await tables()).toContain('agents');
});

/** Some bits of the compressed data have no meaning. */
function hasSameContent(bytes: Buffer): boolean {
  try {
    return gunzipSync(bytes).equals(gunzipSync(good));
  } catch {
    return false;
  }
}

test('a backup with a changed byte is rejected, wherever the byte is', async () => {
  for (let position = 20; position < good.length; position += Math.ceil(good.length / 12)) {
    const changed = Buffer.from(good);
    changed[position] = (changed[position] ?? 0) ^ 0x10;
    if (hasSameContent(changed)) continue;
    const verifying = verifyBackup(Readable.from([changed]), () => undefined);
    await expect(verifying).rejects.toThrow(/damaged|not a backup/);
    await expect(restore(changed)).rejects.toThrow();
    expect(await tables()).toEqual([]);
  }
});

const extraRow = (name: string, rows: string) => ({
  header: (header: BackupHeader) => {
    header.tables.push({ name, columns: ['id'] });
  },
  totals: (totals: BackupTotals) => {
    const content = Buffer.from(rows);
    const sha256 = createHash('sha256').update(content).digest('hex');
    totals.tables.push({ name, rows: 1, bytes: content.length, sha256 });
  },
  entries: (entries: TarEntry[]) => [
    ...entries.slice(0, -1),
    { name: `tables/${name}/1`, content: Buffer.from(rows) },
    ...entries.slice(-1),
  ],
});

describe('a crafted backup', () => {
  test.each([
    [
      'with SQL in a table name',
      {
        header: (header: BackupHeader) =>
          void header.tables.push({ name: 'x"; DROP TABLE agents; --', columns: [] }),
      },
      /damaged: backup\.json: \/tables\/\d+\/name must match pattern/,
    ],
    [
      'with SQL in a column name',
      {
        header: (header: BackupHeader) =>
          void header.tables[0]?.columns.push("id) FROM PROGRAM 'id' --"),
      },
      /must match pattern/,
    ],
    [
      'with SQL in partition bounds',
      {
        header: (header: BackupHeader) =>
          void header.partitions.push({
            table: 'agents',
            name: 'agents_1',
            bound: "FOR VALUES FROM ('a') TO ('b'); DROP TABLE agents",
          }),
      },
      /bound must match pattern/,
    ],
    [
      'with an unknown column',
      { header: (header: BackupHeader) => void header.tables[0]?.columns.push('extra') },
      /does not fit the tables of its own migrations: \w+\.extra/,
    ],
    [
      'with a duplicate column',
      {
        header: (header: BackupHeader) => {
          const columns = header.tables[0]?.columns ?? [];
          columns.push(columns[0] ?? '');
        },
      },
      /does not fit/,
    ],
    [
      'with a missing table',
      { header: (header: BackupHeader) => void header.tables.splice(0, 1) },
      /damaged|does not fit/,
    ],
    [
      'with other counts',
      {
        totals: (totals: BackupTotals) => {
          for (const table of totals.tables) table.rows += 1;
        },
      },
      /has \d+ rows instead of \d+/,
    ],
    [
      'without its totals',
      { entries: (entries: TarEntry[]) => entries.slice(0, -1) },
      /ends too early/,
    ],
    [
      'with data after its totals',
      { entries: (entries: TarEntry[]) => [...entries, { name: 'x', content: Buffer.alloc(1) }] },
      /something follows/,
    ],
    [
      'of another program',
      { header: (header: BackupHeader) => void Object.assign(header, { format: 'other' }) },
      /not a backup of this service/,
    ],
    [
      'in a later format',
      { header: (header: BackupHeader) => void Object.assign(header, { formatVersion: 2 }) },
      /made by a newer release \(0\.1\.0\), in a format/,
    ],
    [
      'of a later release',
      {
        header: (header: BackupHeader) => {
          const name = '20990101000000_future';
          header.migrations.push({ name, checksum: '0'.repeat(64) });
          header.compatibleFrom = name;
        },
      },
      /tables are newer than this release, which does not know 20990101000000_future/,
    ],
    [
      'from before the first release',
      {
        header: (header: BackupHeader) =>
          void header.migrations.unshift({
            name: '20200101000000_early',
            checksum: '0'.repeat(64),
          }),
      },
      /by a version before the first release \(20200101000000_early\), whose tables this one cannot take over/,
    ],
    [
      'of an unknown migration',
      {
        header: (header: BackupHeader) => {
          const [first] = header.migrations;
          if (first) first.checksum = '0'.repeat(64);
        },
      },
      /is not the one of this release/,
    ],
  ])('%s is rejected', async (_, change, message) => {
    await expect(restore(await forged(change))).rejects.toThrow(message);
    expect(await tables()).toEqual([]);
  });

  test('that expands endlessly takes no memory, and is rejected at its first part', async () => {
    const [header] = await entriesOf(good);
    if (!header) throw new Error('There is no header.');
    const bomb = pack([header, { name: 'tables/agents/1', content: Buffer.alloc(64 * 1024 ** 2) }]);
    expect(bomb.length).toBeLessThan(100_000);
    await expect(restore(bomb)).rejects.toThrow(
      /damaged: the entry tables\/agents\/1 has 67108864/,
    );
    expect(await tables()).toEqual([]);
  });

  test.each([
    ['in the compressed data', () => gzipSync(Buffer.concat([gunzipSync(good), zeros]))],
    ['after the compressed data', () => Buffer.concat([good, zeros])],
  ])('with many zeros at its end, %s, is rejected', async (_where, make) => {
    const padded = make();
    const verifying = verifyBackup(Readable.from([padded]), () => undefined);
    await expect(verifying).rejects.toThrow(/damaged: something follows its end/);
    await expect(restore(padded)).rejects.toThrow(/damaged: something follows its end/);
    expect(await tables()).toEqual([]);
  });

  test('with the trailing zeros that other programs write is restored', async () => {
    const tar = gunzipSync(good);
    await restore(gzipSync(Buffer.concat([tar, Buffer.alloc(10_240 - (tar.length % 10_240))])));
    expect(await tables()).toContain('agents');
  });

  test('with unknown tables is restored without them, and reports that', async () => {
    const { foreignTables } = await restore(await forged(extraRow('notes', 'x\n')));
    expect(foreignTables).toEqual(['notes']);
    expect(await tables()).not.toContain('notes');
  });
});

test('a backup of an earlier release is migrated with its rows', async () => {
  const directory = path.join(await temporaryFolder(), 'migrations');
  await cp(MIGRATIONS_DIRECTORY, directory, { recursive: true });
  const later = path.join(directory, '20990101000000_later');
  await mkdir(later);
  await writeFile(
    path.join(later, 'migration.sql'),
    'CREATE TABLE counted AS SELECT count(*) AS agents FROM agents;',
  );
  await restore(good, directory);
  expect(await query(bare.url, 'SELECT * FROM counted')).toEqual([{ agents: '1' }]);
});

test('partitions are restored, and sequences continue', async () => {
  const directory = path.join(await temporaryFolder(), 'migrations');
  await cp(MIGRATIONS_DIRECTORY, directory, { recursive: true });
  const own = path.join(directory, '20990101000000_partitioned');
  await mkdir(own);
  const script = `CREATE TABLE visits (at timestamptz NOT NULL) PARTITION BY RANGE (at);
     CREATE TABLE visits_default PARTITION OF visits DEFAULT;
     CREATE TABLE tickets (id bigserial PRIMARY KEY);`;
  await writeFile(path.join(own, 'migration.sql'), script);
  const { migrate } = await import('../../server/postgres/migrations/migrate.js');
  await migrate({ url: bare.url, directory });
  await query(
    bare.url,
    `CREATE TABLE visits_2026 PARTITION OF visits FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
     INSERT INTO visits VALUES ('2026-05-05'), ('2020-01-01');
     INSERT INTO tickets VALUES (DEFAULT), (DEFAULT), (DEFAULT);`,
  );
  const chunks: Buffer[] = [];
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  await writeBackup({ url: bare.url, service: '0.1.0' }, output);
  await bare.drop();
  bare = await createBareDatabase();
  await restore(Buffer.concat(chunks), directory);
  expect(await query(bare.url, 'SELECT count(*)::int AS rows FROM visits_2026')).toEqual([
    { rows: 1 },
  ]);
  const insert = 'INSERT INTO tickets DEFAULT VALUES RETURNING id::int';
  expect(await query(bare.url, insert)).toEqual([{ id: 4 }]);
});
