/**
 * Lists, divides and drops the partitions of tables that grow over time.
 * Why SQL: Prisma does not support partitions.
 */
import type { Queryable, Transaction } from '../connection.js';

/** The bounds are as in FOR VALUES; null: MINVALUE or MAXVALUE. */
interface PartitionBounds {
  table: string;
  name: string;
  from: string | null;
  to: string | null;
}

interface PartitionRow extends PartitionBounds {
  /** Whether it has never had a row. */
  isEmpty: boolean;
  /** Its storage parameters, such as `fillfactor=50`. */
  storage: string[];
}

const list = `
  SELECT parent.relname AS "table", child.relname AS name,
         substring(bound from 'FROM \\(''([^'']*)''\\)') AS "from", substring(bound from 'TO \\(''([^'']*)''\\)') AS "to",
         pg_relation_size(child.oid) = 0 AS "isEmpty", coalesce(child.reloptions, '{}') AS storage
    FROM pg_inherits
    JOIN pg_class parent ON parent.oid = inhparent AND parent.relkind = 'p'
    JOIN pg_class child ON child.oid = inhrelid
   CROSS JOIN LATERAL pg_get_expr(child.relpartbound, child.oid) AS bound
   WHERE parent.relnamespace = current_schema()::regnamespace`;

export function readPartitions(database: Queryable): Promise<PartitionRow[]> {
  return database.run<PartitionRow>({ name: 'partitions_list', text: list }, []);
}

/** Locks tables exclusively until the transaction ends. Throws lock_not_available after a short time. */
export async function lockTables(
  transaction: Transaction,
  tables: readonly string[],
): Promise<void> {
  await execute(transaction, `SET LOCAL lock_timeout = '50ms'`);
  await execute(
    transaction,
    `LOCK TABLE ${tables.map(identifier).join(', ')} IN ACCESS EXCLUSIVE MODE`,
  );
}

/** Returns the largest value of the column in a table, as text. Null: the table is empty. */
export async function readLargest(
  database: Queryable,
  table: string,
  column: string,
): Promise<string | null> {
  const [row] = await database.run<{ largest: string | null }>(
    {
      name: `partitions_largest_${table}`,
      text: `SELECT max(${identifier(column)})::text AS largest FROM ${identifier(table)}`,
    },
    [],
  );
  return row?.largest ?? null;
}

/** Sets the end of a partition that has none. */
export async function setPartitionEnd(
  transaction: Transaction,
  partition: Omit<PartitionBounds, 'to'>,
  to: string,
): Promise<void> {
  const { table, name } = partition;
  await execute(
    transaction,
    `ALTER TABLE ${identifier(table)} DETACH PARTITION ${identifier(name)}`,
  );
  await attachPartition(transaction, { ...partition, to });
}

/**
 * Creates an empty table like another, with its indexes. This is the slowest step, and it blocks no other statements. Storage parameters
 * are separate: LIKE leaves them out, and partitioned tables have none.
 */
export async function createTableLike(
  transaction: Transaction,
  table: string,
  { name, storage }: Pick<PartitionRow, 'name' | 'storage'>,
): Promise<void> {
  const parameters = storage.map((parameter) =>
    parameter.replace(/=(.*)$/s, (_, value: string) => ` = ${literal(value)}`),
  );
  await execute(
    transaction,
    `CREATE TABLE ${identifier(name)} (LIKE ${identifier(table)} INCLUDING ALL)
       ${parameters.length > 0 ? `WITH (${parameters.join(', ')})` : ''}`,
  );
}

export async function renameTable(
  transaction: Transaction,
  from: string,
  to: string,
): Promise<void> {
  await execute(transaction, `ALTER TABLE ${identifier(from)} RENAME TO ${identifier(to)}`);
}

/** Attaches an empty table with the same columns as a partition. */
export async function attachPartition(
  transaction: Transaction,
  { table, name, from, to }: PartitionBounds,
): Promise<void> {
  await execute(
    transaction,
    `ALTER TABLE ${identifier(table)} ATTACH PARTITION ${identifier(name)}
       ${values(from, to === null ? 'MAXVALUE' : literal(to))}`,
  );
}

export async function dropTables(
  transaction: Transaction,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  await execute(transaction, `DROP TABLE ${names.map(identifier).join(', ')}`);
}

/** Names and bounds are part of the text, because these statements accept no parameters. */
async function execute(transaction: Transaction, text: string): Promise<void> {
  await transaction.run({ name: 'partitions_change', text }, []);
}

const values = (from: string | null, to: string) =>
  `FOR VALUES FROM (${from === null ? 'MINVALUE' : literal(from)}) TO (${to})`;

const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
