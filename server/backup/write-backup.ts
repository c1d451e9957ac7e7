/** Writes a backup of all tables from one snapshot, while the service runs. */
import { createHash } from 'node:crypto';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { tarBlocks, tarEnd } from '../lib/data/tar.js';
import { currentDate } from '../lib/time/clock.js';
import { connectDirectly, type DirectConnection } from '../postgres/direct-connection.js';
import { DatabaseProblem } from '../postgres/connection-problem.js';
import {
  beginSnapshot,
  type CatalogueTable,
  copyOut,
  readCatalogue,
  readPartitions,
  readSecretsFingerprint,
  readSequences,
} from './copy.sql.js';
import { readCitus, readCluster } from '../postgres/distribute.sql.js';
import { readCompatibleFrom, readMigrationRecords } from '../postgres/migrations/history.sql.js';
import {
  type BackupHeader,
  type BackupTotals,
  FORMAT,
  FORMAT_VERSION,
  HEADER,
  partName,
  type TableTotals,
  TOTALS,
} from './format.js';

interface BackupOptions extends DirectConnection {
  /** The version of this release. */
  service: string;
  /** Aborts the backup. */
  signal?: AbortSignal;
  onProgress?: (done: { table: string; rows: number; bytes: number }) => void;
}

export interface Backup {
  header: BackupHeader;
  totals: BackupTotals;
}

/** The fastest level: it takes a third of the time of the default, which would be slower than PostgreSQL. */
const gzipLevel = 1;
const partBytes = 1024 ** 2;

/** Ends the stream. The output is complete only if this resolves. */
export async function writeBackup(options: BackupOptions, output: Writable): Promise<Backup> {
  const client = await connectDirectly({ ...options, name: 'backup' });
  const made: Partial<Backup> = {};
  try {
    await assertNotDistributed(client);
    await beginSnapshot(client);
    await pipeline(
      Readable.from(archive(client, options, made), { objectMode: false }),
      createGzip({ level: gzipLevel }),
      output,
      ...(options.signal ? [{ signal: options.signal }] : []),
    );
  } finally {
    await client.end();
  }
  const { header, totals } = made;
  if (!header || !totals) throw new Error('The backup ended early.');
  return { header, totals };
}

async function* archive(
  client: pg.ClientBase,
  options: BackupOptions,
  made: Partial<Backup>,
): AsyncGenerator<Buffer> {
  const createdAt = currentDate();
  const part = (name: string, content: Buffer) => tarBlocks({ name, content }, createdAt);
  const json = (name: string, content: object) =>
    part(name, Buffer.from(`${JSON.stringify(content, null, 2)}\n`));

  const migrations = await appliedMigrations(client);
  const tables = sortByReferences(await readCatalogue(client));
  made.header = {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    service: options.service,
    createdAt: createdAt.toISOString(),
    migrations,
    compatibleFrom: (await readCompatibleFrom(client)) ?? null,
    secretsKey: (await readSecretsFingerprint(client)) ?? null,
    tables: tables.map(({ name, columns, nullable }) => ({ name, columns, nullable })),
    partitions: await readPartitions(client),
  };
  yield json(HEADER, made.header);

  const totals: TableTotals[] = [];
  const done = { rows: 0, bytes: 0 };
  for (const table of tables) {
    const hash = createHash('sha256');
    const copied = { rows: 0, bytes: 0 };
    let number = 0;
    for await (const content of readChunks(client, table, copied)) {
      hash.update(content);
      number += 1;
      options.onProgress?.({ ...done, bytes: done.bytes + copied.bytes, table: table.name });
      yield part(partName(table.name, number), content);
    }
    done.rows += copied.rows;
    done.bytes += copied.bytes;
    totals.push({ name: table.name, ...copied, sha256: hash.digest('hex') });
  }
  // Sequences have their current values, not those of the snapshot, so they are never lower than the copied rows.
  made.totals = { tables: totals, sequences: await readSequences(client) };
  yield json(TOTALS, made.totals);
  yield tarEnd;
}

/** One session cannot read a consistent snapshot of several servers. */
async function assertNotDistributed(client: pg.ClientBase): Promise<void> {
  const { version } = await readCitus(client);
  if (version === null || (await readCluster(client)).tables.length === 0) return;
  throw new DatabaseProblem(
    'The database is distributed over several servers, which this command cannot read at one moment. ' +
      'Back up each of them with the tools of PostgreSQL, up to a point of citus_create_restore_point, as docs/scaling.md describes.',
  );
}

async function appliedMigrations(client: pg.ClientBase): Promise<BackupHeader['migrations']> {
  const records = await readMigrationRecords(client);
  if (records.length === 0) {
    throw new DatabaseProblem(
      'The database is empty: no release of the service has been started on it. Check DATABASE_URL or DATA_DIR.',
    );
  }
  const unfinished = records.filter(({ finished }) => !finished).map(({ name }) => name);
  if (unfinished.length > 0) {
    throw new DatabaseProblem(
      `The database records ${unfinished.join(', ')} as started but never finished. Repair the database before you back it up.`,
    );
  }
  return records.map(({ name, checksum }) => ({ name, checksum }));
}

/** Yields the rows of a table in chunks of about a megabyte, and adds them to `copied`. */
async function* readChunks(
  client: pg.ClientBase,
  table: CatalogueTable,
  copied: { rows: number; bytes: number },
): AsyncGenerator<Buffer> {
  const stream = copyOut(client, table);
  let chunks: Buffer[] = [];
  let size = 0;
  const takeChunk = () => {
    const content = Buffer.concat(chunks, size);
    copied.bytes += size;
    chunks = [];
    size = 0;
    return content;
  };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= partBytes) yield* split(takeChunk());
  }
  if (size > 0) yield* split(takeChunk());
  copied.rows = stream.rowCount;
}

/** A single row may exceed the maximum size of a part. */
function* split(content: Buffer): Generator<Buffer> {
  for (let start = 0; start < content.length; start += 2 * partBytes) {
    yield content.subarray(start, start + 2 * partBytes);
  }
}

/** Orders tables so that each follows those that it references. Throws if foreign keys form a cycle. */
function sortByReferences(tables: readonly CatalogueTable[]): CatalogueTable[] {
  const ordered: CatalogueTable[] = [];
  let remaining = [...tables];
  while (remaining.length > 0) {
    const names = new Set(remaining.map(({ name }) => name));
    const isFree = ({ references }: CatalogueTable) => references.every((name) => !names.has(name));
    const free = remaining.filter(isFree);
    if (free.length === 0) {
      throw new Error(`Foreign keys form a cycle: ${[...names].join(', ')}.`);
    }
    ordered.push(...free);
    remaining = remaining.filter((table) => !free.includes(table));
  }
  return ordered;
}
