/**
 * The partitions of tables that grow over time. Each table has a partition `…_past` without a start, followed by partitions of a
 * day or a month, and a last one without an end. So every row has a partition, even from a restored backup, from an instance with a
 * wrong clock, or if the last partition has not been divided for a long time. Old partitions are dropped, which is faster than
 * deleting their rows. A new partition has the storage parameters of the last one, such as when to vacuum it.
 */
import { type IdPrefix, lowestIdAt, timeOfId } from '../../lib/data/typeid.js';
import type { Connection, Transaction } from '../connection.js';
import {
  attachPartition,
  createTableLike,
  dropTables,
  setPartitionEnd,
  lockTables,
  readLargest,
  readPartitions,
  renameTable,
} from './partitions.sql.js';

/** The column by which a table is partitioned: a time, or an id with the prefix. */
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
  /** Undefined: it has no start. */
  from: Date | undefined;
  /** Undefined: it has no end. */
  to: Date | undefined;
  isEmpty: boolean;
  storage: string[];
}

/** Each partition costs every search a little, so that only short periods are divided by day. */
export type PartitionWidth = 'day' | 'month';

export function partitionWidth(retentionDays: number | undefined): PartitionWidth {
  return retentionDays !== undefined && retentionDays <= 31 ? 'day' : 'month';
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
interface PartitionEnd {
  table: PartitionedTable;
  name: string;
  end: Date;
}

/** How long before its start the last partition gets an end, so that it is still empty, and there is always a next one. */
const aheadMs = 2 * 86_400_000;

/** Finds the last partitions that need an end. */
export async function findPartitionsToEnd(
  connection: Connection,
  { width, now }: { width: PartitionWidth; now: Date },
): Promise<PartitionEnd[]> {
  const ending: PartitionEnd[] = [];
  for (const { table, name, from, to } of await listPartitions(connection)) {
    if (!from || to || from.getTime() > now.getTime() + aheadMs) continue;
    const largest = await readLargest(connection, name, partitionedTables[table].column);
    // A row with a future time makes the partition longer, so that no row has to be moved.
    const times = [now, from, timeOf(table, largest) ?? from].map((time) => time.getTime());
    ending.push({ table, name, end: nextBoundary(width, new Date(Math.max(...times))) });
  }
  return ending;
}

/** The next midnight (UTC), or the one that begins the next month. The same for all tables, which are dropped together. */
function nextBoundary(width: PartitionWidth, after: Date): Date {
  const [year, month, day] = [after.getUTCFullYear(), after.getUTCMonth(), after.getUTCDate()];
  return new Date(width === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1));
}

/**
 * Sets the end of the partition, and creates the next one. Returns false if another instance has already done so. The caller must hold
 * a lock that prevents other changes of partitions.
 */
export async function createNextPartition(
  transaction: Transaction,
  { table, name, end }: PartitionEnd,
): Promise<boolean> {
  const partitions = await listPartitions(transaction);
  const last = partitions.find((partition) => partition.name === name);
  if (!last?.from || last.to) return false;
  const [next, bound] = [nameOf(table, end), boundOf(table, end)];
  await createTableLike(transaction, table, { name: next, storage: last.storage });
  await lockTables(transaction, [table]);
  await setPartitionEnd(transaction, { table, name, from: boundOf(table, last.from) }, bound);
  await attachPartition(transaction, { table, name: next, from: bound, to: null });
  return true;
}

/** Returns the latest time up to `before` at which a partition of each table ends. Undefined: there is none. */
export async function findCommonEnd(
  connection: Connection,
  tables: readonly PartitionedTable[],
  before: Date,
): Promise<Date | undefined> {
  const ended = (await listPartitions(connection)).filter(
    (partition) => tables.includes(partition.table) && hasEnded(partition, before),
  );
  const endsOf = (table: PartitionedTable) =>
    ended.flatMap((partition) => (partition.table === table ? (partition.to ?? []) : []));
  const [first = [], ...others] = tables.map(endsOf);
  const end = first.findLast((one) =>
    others.every((ends) => ends.some((other) => other.getTime() === one.getTime())),
  );
  // The `…_past` partition, which each drop recreates, has always ended, and is empty unless old rows were restored.
  const isWorthwhile = ended.some((one) => end && hasEnded(one, end) && (one.from || !one.isEmpty));
  return isWorthwhile ? end : undefined;
}

/** Whether the tables may have rows from before the time. A cheap check: usually the partitions of those have been dropped. */
export async function hasRowsBefore(
  connection: Connection,
  tables: readonly PartitionedTable[],
  before: Date,
): Promise<boolean> {
  const partitions = await listPartitions(connection);
  return partitions.some(
    ({ table, from, isEmpty }) => tables.includes(table) && (from ? from < before : !isEmpty),
  );
}

/**
 * Drops all partitions up to a time at which a partition of each table ends, and creates an empty `…_past` partition. Drops nothing
 * and returns false if `mustKeep`, which is called under the lock, returns true.
 */
export async function dropPartitions(
  transaction: Transaction,
  tables: readonly PartitionedTable[],
  before: Date,
  mustKeep: () => Promise<boolean>,
): Promise<boolean> {
  const fresh = (table: PartitionedTable) => `${table}_past_next`;
  const existing = await listPartitions(transaction);
  for (const table of tables) {
    const last = existing.findLast((partition) => partition.table === table);
    await createTableLike(transaction, table, { name: fresh(table), storage: last?.storage ?? [] });
  }
  await lockTables(transaction, tables);
  if (await mustKeep()) {
    await dropTables(transaction, tables.map(fresh));
    return false;
  }
  const partitions = await listPartitions(transaction);
  for (const table of tables) {
    const expired = partitions.filter(
      (partition) => partition.table === table && hasEnded(partition, before),
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

const hasEnded = ({ to }: Partition, before: Date) => to !== undefined && to <= before;

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
