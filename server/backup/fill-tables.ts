/** Fills the tables that migrations have created with the rows of a backup. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { messageOf } from '../lib/errors/error-code.js';
import {
  addTextColumns,
  allowNull,
  type CatalogueTable,
  copyIn,
  createPartition,
  dropColumns,
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

interface Filling {
  header: BackupHeader;
  rows: AsyncGenerator<Rows, BackupTotals>;
  /** Whether the backup may have tables and columns of a newer release. They are left out. */
  isNewer: boolean;
  onProgress: OnProgress | undefined;
}

export interface FillResult {
  totals: BackupTotals;
  /** Tables of the backup that this release does not have. */
  foreignTables: string[];
  /** Columns that it does not have, as TABLE.COLUMN. Empty unless the backup is newer. */
  foreignColumns: string[];
}

/** Throws a BackupProblem if the rows do not match the header and the totals. Restores all indexes at the end. */
export async function fillTables(
  client: pg.ClientBase,
  { header, rows, isNewer, onProgress }: Filling,
): Promise<FillResult> {
  await useCanonicalSettings(client);
  const tables = await readCatalogue(client);
  const { known, foreignTables } = matchTables(header, tables, isNewer);
  await recreatePartitions(client, header, tables);
  for (const { name, relaxed, standIns } of known.values()) {
    await allowNull(client, name, relaxed);
    await addTextColumns(client, name, standIns);
  }
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
  for (const { name, standIns } of known.values()) await dropColumns(client, name, standIns);
  await resumeIndexes();
  const foreignColumns = [...known.values()].flatMap((target) => target.foreignColumns);
  return { totals, foreignTables, foreignColumns };
}

interface Target extends Pick<CatalogueTable, 'name' | 'columns'> {
  /** Columns that only the backup lets be null. */
  relaxed: string[];
  foreignColumns: string[];
  /** Columns that take the values of the foreign ones until they are dropped: COPY cannot skip a column. */
  standIns: string[];
}

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
  isNewer: boolean,
): { known: Map<string, Target>; foreignTables: string[] } {
  const headerTables = new Map(header.tables.map((table) => [table.name, table]));
  const known = new Map<string, Target>();
  for (const { name: table, columns, nullable } of tables) {
    const { columns: inBackup = [], nullable: nullableInBackup = [] } =
      headerTables.get(table) ?? {};
    const missing = columns.filter((column) => !inBackup.includes(column));
    const unknown = inBackup.filter((column) => !columns.includes(column));
    const hasDuplicates = new Set(inBackup).size < inBackup.length;
    if (missing.length > 0 || (unknown.length > 0 && !isNewer) || hasDuplicates) {
      const differing = [...missing, ...unknown].map((column) => `${table}.${column}`);
      throw new BackupProblem(
        `It does not fit the tables of its own migrations: ${differing.join(', ') || table}.`,
      );
    }
    // Uses the equal names from the catalogue, and own ones for others, so that no name from the file becomes part of a statement.
    const standIn = (column: string) => `left_out_${unknown.indexOf(column)}`;
    known.set(table, {
      name: table,
      columns: inBackup.map((column) => columns.find((own) => own === column) ?? standIn(column)),
      relaxed: columns.filter(
        (column) => isNewer && nullableInBackup.includes(column) && !nullable.includes(column),
      ),
      foreignColumns: unknown.map((column) => `${table}.${column}`),
      standIns: unknown.map(standIn),
    });
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
