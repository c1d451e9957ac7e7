/**
 * The partitions of tables that grow with time. Each table has a `…_past` without a beginning, partitions of a fixed width after
 * it, and a last one without an end, so that a row of any time has a place: of a restored backup, of an instance whose clock is
 * wrong, and when nobody has divided the last one for long. Old ones are dropped instead of deleting their rows.
 */
import { type IdPrefix, lowestIdAt, timeOfId } from '../../lib/data/typeid.js';
import type { Connection, Transaction } from './connection.js';
import {
  attachPartition,
  createLike,
  dropTables,
  endPartition,
  lockTables,
  readLargest,
  readPartitions,
  renameTable,
} from './partitions.sql.js';

/** The column by which a table is partitioned: a time, or an id with that prefix. */
export interface PartitionKey {
  column: string;
  prefix?: IdPrefix;
}

export const partitionedTables = {
  log_entries: { column: 'logged_at' },
  invocations: { column: 'id', prefix: 'req' },
  usage_rollups: { column: 'bucket_start' },
  memory_entries: { column: 'id', prefix: 'mem' },
  memory_embeddings: { column: 'entry_id', prefix: 'mem' },
  events: { column: 'id', prefix: 'evt' },
  deliveries: { column: 'event_id', prefix: 'evt' },
} as const satisfies Record<string, PartitionKey>;

export type PartitionedTable = keyof typeof partitionedTables;

export interface Partition {
  table: PartitionedTable;
  name: string;
  /** Undefined: it has no beginning. */
  from: Date | undefined;
  /** Undefined: it has no end. */
  to: Date | undefined;
  isEmpty: boolean;
}

const dayMs = 86_400_000;
const maxWidthDays = 91;

/** So that about seven partitions are kept, whatever the period: each of them costs every search a little. */
export function partitionWidthDays(retentionDays: number | undefined): number {
  if (retentionDays === undefined) return maxWidthDays;
  return Math.min(Math.max(Math.round(retentionDays / 6), 1), maxWidthDays);
}

/** Oldest first. */
export async function listPartitions(connection: Connection): Promise<Partition[]> {
  const partitions = (await readPartitions(connection)).flatMap((row) => {
    const { table } = row;
    if (!isPartitioned(table)) return [];
    return { ...row, table, from: timeOf(table, row.from), to: timeOf(table, row.to) };
  });
  return partitions.sort((one, other) => (one.from?.getTime() ?? 0) - (other.from?.getTime() ?? 0));
}

/** A partition without an end, and the end that it should have. */
export interface PartitionEnd {
  table: PartitionedTable;
  name: string;
  end: Date;
}

/** Which last partitions are to be divided, so that there is always one for the time after the present one. */
export async function findPartitionsToEnd(
  connection: Connection,
  { widthDays, now }: { widthDays: number; now: Date },
): Promise<PartitionEnd[]> {
  const aheadMs = (widthDays / 2 + 1) * dayMs;
  const ending = (await listPartitions(connection)).filter(
    ({ from, to }) => from && !to && from.getTime() < now.getTime() + aheadMs,
  );
  // Rows from the future make the partitions longer, so that none has to be moved. All end together, to be dropped together.
  let latest = now.getTime();
  for (const { table, name, from } of ending) {
    const largest = await readLargest(connection, name, partitionedTables[table].column);
    const times = [from, timeOf(table, largest)].map((time) => time?.getTime() ?? 0);
    latest = Math.max(latest, ...times);
  }
  const end = new Date((Math.floor(latest / dayMs) + widthDays) * dayMs);
  return ending.map(({ table, name }) => ({ table, name, end }));
}

/**
 * Gives the partition its end, and creates the one after it. Returns false if somebody else has done so. The caller must be the only
 * one that changes partitions.
 */
export async function createNextPartition(
  transaction: Transaction,
  { table, name, end }: PartitionEnd,
): Promise<boolean> {
  const partitions = await listPartitions(transaction);
  const last = partitions.find((partition) => partition.name === name);
  if (!last?.from || last.to) return false;
  const [next, bound] = [nameOf(table, end), boundOf(table, end)];
  await createLike(transaction, table, next);
  await lockTables(transaction, [table]);
  await endPartition(transaction, { table, name, from: boundOf(table, last.from) }, bound);
  await attachPartition(transaction, { table, name: next, from: bound, to: null });
  return true;
}

/** The latest time, not after the given one, at which a partition of each table ends. Undefined: there is none. */
export async function findCommonEnd(
  connection: Connection,
  tables: readonly PartitionedTable[],
  before: Date,
): Promise<Date | undefined> {
  const over = (await listPartitions(connection)).filter(
    (partition) => tables.includes(partition.table) && isOver(partition, before),
  );
  const endsOf = (table: PartitionedTable) =>
    over.flatMap((partition) => (partition.table === table ? (partition.to ?? []) : []));
  const [first = [], ...others] = tables.map(endsOf);
  const end = first.findLast((one) =>
    others.every((ends) => ends.some((other) => other.getTime() === one.getTime())),
  );
  // The past that begins anew after each drop is over from the first, and empty unless old rows were restored.
  const isWorthwhile = over.some((one) => end && isOver(one, end) && (one.from || !one.isEmpty));
  return isWorthwhile ? end : undefined;
}

/**
 * Drops what the tables have from before a time at which a partition of each ends, unless `mustKeep` says under the lock that it
 * must stay. The past begins anew, empty.
 */
export async function dropPartitions(
  transaction: Transaction,
  tables: readonly PartitionedTable[],
  before: Date,
  mustKeep: () => Promise<boolean>,
): Promise<boolean> {
  const fresh = (table: PartitionedTable) => `${table}_past_next`;
  for (const table of tables) await createLike(transaction, table, fresh(table));
  await lockTables(transaction, tables);
  if (await mustKeep()) {
    await dropTables(transaction, tables.map(fresh));
    return false;
  }
  const partitions = await listPartitions(transaction);
  for (const table of tables) {
    const expired = partitions.filter(
      (partition) => partition.table === table && isOver(partition, before),
    );
    await dropTables(
      transaction,
      expired.map(({ name }) => name),
    );
    const past = { table, name: `${table}_past`, from: null, to: boundOf(table, before) };
    await renameTable(transaction, fresh(table), past.name);
    await attachPartition(transaction, past);
  }
  return true;
}

const isOver = ({ to }: Partition, before: Date) => to !== undefined && to <= before;

function isPartitioned(table: string): table is PartitionedTable {
  return Object.hasOwn(partitionedTables, table);
}

function boundOf(table: PartitionedTable, at: Date): string {
  const { prefix }: PartitionKey = partitionedTables[table];
  return prefix === undefined ? at.toISOString() : lowestIdAt(prefix, at);
}

function timeOf(table: PartitionedTable, bound: string | null): Date | undefined {
  if (bound === null) return undefined;
  const { prefix }: PartitionKey = partitionedTables[table];
  return prefix === undefined ? new Date(bound) : timeOfId(bound);
}

const nameOf = (table: PartitionedTable, from: Date) =>
  `${table}_p${from.toISOString().slice(0, 10).replaceAll('-', '')}`;
