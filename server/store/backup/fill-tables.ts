/** Fills the tables that migrations have created with the rows of a backup. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { messageOf } from '../../lib/errors/error-code.js';
import {
  type CatalogueTable,
  copyIn,
  createPartition,
  dropPartition,
  readCatalogue,
  readPartitions,
  restoreSequence,
  suspendIndexes,
  useCanonicalSettings,
} from './copy.sql.js';
import { type BackupHeader, BackupProblem, type BackupTotals } from './format.js';
import type { Rows } from './read-backup.js';

export type OnProgress = (done: { table: string; bytes: number }) => void;

export interface FillResult {
  totals: BackupTotals;
  /** Tables of the backup that do not belong to the service and were skipped. */
  foreignTables: string[];
}

/** Throws a BackupProblem if the rows do not match the header and the totals. Restores all indexes at the end. */
export async function fillTables(
  client: pg.ClientBase,
  header: BackupHeader,
  rows: AsyncGenerator<Rows, BackupTotals>,
  onProgress?: OnProgress,
): Promise<FillResult> {
  await useCanonicalSettings(client);
  const tables = await readCatalogue(client);
  const { known, foreignTables } = matchTables(header, tables);
  await recreatePartitions(client, header, tables);
  const resumeIndexes = await suspendIndexes(client);
  const filled = new Map<string, number>();
  let bytes = 0;
  let next = await rows.next();
  while (next.done !== true) {
    const { table } = next.value;
    const target = known.get(table);
    const content = async function* () {
      while (next.done !== true && next.value.table === table) {
        yield next.value.content;
        bytes += next.value.content.length;
        onProgress?.({ table, bytes });
        next = await rows.next();
      }
    };
    if (target === undefined) for await (const ignored of content()) void ignored;
    else filled.set(table, await copy(client, target, content()));
  }
  const totals = next.value;
  for (const { name: table, rows: expected } of totals.tables) {
    const found = known.has(table) ? (filled.get(table) ?? 0) : expected;
    if (found !== expected) {
      throw new BackupProblem(`The table ${table} has ${found} rows instead of ${expected}.`);
    }
  }
  for (const sequence of totals.sequences) {
    const columns = known.get(sequence.table)?.columns ?? [];
    if (columns.includes(sequence.column)) await restoreSequence(client, sequence);
  }
  await resumeIndexes();
  return { totals, foreignTables };
}

type Target = Pick<CatalogueTable, 'name' | 'columns'>;

async function copy(
  client: pg.ClientBase,
  { name: table, columns }: Target,
  content: AsyncIterable<Buffer>,
): Promise<number> {
  const stream = copyIn(client, table, columns);
  try {
    await pipeline(Readable.from(content, { objectMode: false }), stream);
  } catch (cause) {
    if (cause instanceof BackupProblem) throw cause;
    throw new BackupProblem(`The table ${table} cannot be restored: ${messageOf(cause)}.`, {
      cause,
    });
  }
  return stream.rowCount;
}

/** Returns the tables by name, with the columns in the order of the backup. Throws if the backup lacks one of the service's. */
function matchTables(
  header: BackupHeader,
  tables: readonly CatalogueTable[],
): { known: Map<string, Target>; foreignTables: string[] } {
  const headerColumns = new Map(header.tables.map((table) => [table.name, table.columns]));
  const known = new Map<string, Target>();
  for (const { name: table, columns } of tables) {
    const inBackup = headerColumns.get(table) ?? [];
    const missing = columns.filter((column) => !inBackup.includes(column));
    const unknown = inBackup.filter((column) => !columns.includes(column));
    if (missing.length > 0 || unknown.length > 0 || inBackup.length !== columns.length) {
      const differing = [...missing, ...unknown].map((column) => `${table}.${column}`);
      throw new BackupProblem(
        `It does not fit the tables of its own migrations: ${differing.join(', ') || table}.`,
      );
    }
    // Uses the equal names from the catalogue, so that no name from the file becomes part of a statement.
    const own = inBackup.flatMap((column) => columns.filter((candidate) => candidate === column));
    known.set(table, { name: table, columns: own });
  }
  const foreignTables = header.tables.map((table) => table.name).filter((own) => !known.has(own));
  return { known, foreignTables };
}

/** Migrations create the partitions that are needed now; the rows need the partitions that existed at the backup. */
async function recreatePartitions(
  client: pg.ClientBase,
  { partitions }: BackupHeader,
  tables: readonly CatalogueTable[],
): Promise<void> {
  const partitioned = tables
    .filter(({ isPartitioned }) => isPartitioned)
    .map((table) => table.name);
  for (const partition of await readPartitions(client)) await dropPartition(client, partition);
  for (const partition of partitions) {
    const table = partitioned.find((own) => own === partition.table);
    if (table === undefined) continue;
    if (!partition.name.startsWith(`${table}_`)) {
      throw new BackupProblem(`It is damaged: ${partition.name} is no partition of ${table}.`);
    }
    await createPartition(client, { ...partition, table });
  }
}
