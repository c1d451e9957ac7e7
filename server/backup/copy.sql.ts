/**
 * Reads all tables in one snapshot, and fills the tables of an empty database.
 * Why SQL: Prisma neither copies tables as streams nor reads the catalogue.
 */
import pg from 'pg';
import { type CopyStreamQuery, type CopyToStreamQuery, from, to } from 'pg-copy-streams';

export interface CatalogueTable {
  name: string;
  /** In table order, without generated columns. */
  columns: string[];
  nullable: string[];
  /** The tables that its foreign keys reference. */
  references: string[];
  isPartitioned: boolean;
}

export interface Partition {
  table: string;
  name: string;
  /** As PostgreSQL writes it, such as FOR VALUES FROM ('2026-11-01 00:00:00+00') TO ('2026-12-01 00:00:00+00'). */
  bound: string;
}

export interface SequenceValue {
  table: string;
  column: string;
  value: string;
}

/** The transaction reads one snapshot. It neither waits for writers nor blocks them. */
export async function beginSnapshot(client: pg.ClientBase): Promise<void> {
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
  await useCanonicalSettings(client);
}

/** Sets formats that any server writes and reads alike, and removes time limits, which are meant for requests. */
export async function useCanonicalSettings(client: pg.ClientBase): Promise<void> {
  await client.query(
    `SELECT set_config(name, setting, true)
       FROM (VALUES ('TimeZone', 'UTC'), ('DateStyle', 'ISO'), ('IntervalStyle', 'postgres'), ('extra_float_digits', '1'),
                    ('bytea_output', 'hex'), ('client_encoding', 'UTF8'), ('statement_timeout', '0'),
                    ('idle_in_transaction_session_timeout', '0'), ('transaction_timeout', '0')) AS wanted (name, setting)
      WHERE name IN (SELECT known.name FROM pg_settings AS known)`,
  );
}

/** Skips unlogged tables, whose rows a crash may lose anyway, tables of extensions, and the record of migrations. */
export async function readCatalogue(client: pg.ClientBase): Promise<CatalogueTable[]> {
  const { rows } = await client.query<CatalogueTable>(
    `SELECT c.relname::text AS name, c.relkind = 'p' AS "isPartitioned",
            ARRAY(SELECT a.attname::text FROM pg_attribute AS a
                   WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
                   ORDER BY a.attnum) AS columns,
            ARRAY(SELECT a.attname::text FROM pg_attribute AS a
                   WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND NOT a.attnotnull
                   ORDER BY a.attnum) AS nullable,
            ARRAY(SELECT DISTINCT r.relname::text FROM pg_constraint AS f JOIN pg_class AS r ON r.oid = f.confrelid
                   WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.conparentid = 0 AND r.oid <> c.oid) AS references
       FROM pg_class AS c
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relpersistence = 'p' AND c.relname <> '_prisma_migrations'
        AND NOT EXISTS (SELECT FROM pg_depend AS d
                         WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
      ORDER BY c.relname`,
  );
  return rows;
}

export async function readPartitions(client: pg.ClientBase): Promise<Partition[]> {
  const { rows } = await client.query<Partition>(
    `SELECT parent.relname::text AS table, c.relname::text AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
       FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid JOIN pg_class AS parent ON parent.oid = i.inhparent
      WHERE c.relispartition AND c.relkind = 'r' AND parent.relnamespace = 'public'::regnamespace
      ORDER BY c.relname`,
  );
  return rows;
}

/** Reads the sequences that columns use, except unused ones. */
export async function readSequences(client: pg.ClientBase): Promise<SequenceValue[]> {
  const { rows } = await client.query<SequenceValue>(
    `SELECT t.relname::text AS table, a.attname::text AS column, used.last_value::text AS value
       FROM pg_depend AS d
       JOIN pg_class AS s ON s.oid = d.objid AND s.relkind = 'S'
       JOIN pg_sequences AS used ON used.sequencename = s.relname AND used.schemaname = 'public'
       JOIN pg_class AS t ON t.oid = d.refobjid AND t.relnamespace = 'public'::regnamespace
       JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
      WHERE d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i') AND used.last_value IS NOT NULL
      ORDER BY 1, 2`,
  );
  return rows;
}

/** The next value of the sequence will be greater than this one. */
export async function restoreSequence(
  client: pg.ClientBase,
  { table, column, value }: SequenceValue,
): Promise<void> {
  await client.query('SELECT setval(pg_get_serial_sequence(quote_ident($1), $2), $3::bigint)', [
    table,
    column,
    value,
  ]);
}

/** The fingerprint of the SECRETS_KEY that values are encrypted with; undefined before the first start. */
export async function readSecretsFingerprint(client: pg.ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ fingerprint: string }>(
    `SELECT value #>> '{}' AS fingerprint FROM settings WHERE key = 'secrets_key_fingerprint'`,
  );
  return rows[0]?.fingerprint;
}

export function copyOut(client: pg.ClientBase, table: CatalogueTable): CopyToStreamQuery {
  const columns = columnList(table.columns);
  const name = pg.escapeIdentifier(table.name);
  // Before version 18, PostgreSQL cannot copy a partitioned table by its name.
  const source = table.isPartitioned ? `(SELECT ${columns} FROM ${name})` : `${name} (${columns})`;
  return client.query(to(`COPY ${source} TO STDOUT`));
}

/** The columns must be in the order of the data. */
export function copyIn(client: pg.ClientBase, name: string, columns: string[]): CopyStreamQuery {
  return client.query(
    from(`COPY ${pg.escapeIdentifier(name)} (${columnList(columns)}) FROM STDIN`),
  );
}

export async function dropPartition(client: pg.ClientBase, { name }: Partition): Promise<void> {
  await client.query(`DROP TABLE ${pg.escapeIdentifier(name)}`);
}

/** The caller must have validated the bound, which becomes part of the statement. */
export async function createPartition(
  client: pg.ClientBase,
  { table, name, bound }: Partition,
): Promise<void> {
  await client.query(
    `CREATE TABLE ${pg.escapeIdentifier(name)} PARTITION OF ${pg.escapeIdentifier(table)} ${bound}`,
  );
}

/** Lets the columns be null, as a newer release does. */
export async function allowNull(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
): Promise<void> {
  await alterColumns(client, table, columns, (column) => `ALTER COLUMN ${column} DROP NOT NULL`);
}

/** Adds columns that take any values. */
export async function addTextColumns(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
): Promise<void> {
  await alterColumns(client, table, columns, (column) => `ADD COLUMN ${column} text`);
}

/** Takes no time: PostgreSQL hides the values. */
export async function dropColumns(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
): Promise<void> {
  await alterColumns(client, table, columns, (column) => `DROP COLUMN ${column}`);
}

async function alterColumns(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
  action: (column: string) => string,
): Promise<void> {
  if (columns.length === 0) return;
  const actions = columns.map((column) => action(pg.escapeIdentifier(column)));
  await client.query(`ALTER TABLE ${pg.escapeIdentifier(table)} ${actions.join(', ')}`);
}

interface Index {
  name: string;
  definition: string;
}

/**
 * Drops all indexes except those of constraints, and returns a function that creates them again: building an index from existing
 * rows takes a fraction of the time of adding each row to it.
 */
export async function suspendIndexes(client: pg.ClientBase): Promise<() => Promise<void>> {
  const { rows: indexes } = await client.query<Index>(
    `SELECT c.relname::text AS name, pg_get_indexdef(c.oid) AS definition
       FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_class AS t ON t.oid = i.indrelid
      WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
        AND NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = i.indexrelid)
      ORDER BY c.relname`,
  );
  for (const { name } of indexes) await client.query(`DROP INDEX ${pg.escapeIdentifier(name)}`);
  return async () => {
    await client.query(`SET LOCAL maintenance_work_mem = '256MB'`);
    // Without ONLY, the index of a partitioned table is also created on its partitions.
    for (const { definition } of indexes)
      await client.query(definition.replace(' ON ONLY ', ' ON '));
  };
}

interface Occupancy {
  /** The tables that already exist. */
  tables: string[];
  /** The number of sessions of other programs of the service. */
  sessions: number;
}

export async function readOccupancy(client: pg.ClientBase, ownName: string): Promise<Occupancy> {
  const { rows } = await client.query<Occupancy>(
    `SELECT ARRAY(SELECT c.relname::text FROM pg_class AS c
                   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
                     AND NOT EXISTS (SELECT FROM pg_depend AS d
                                      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
                   ORDER BY c.relname) AS tables,
            (SELECT count(*)::int FROM pg_stat_activity
              WHERE datname = current_database() AND starts_with(application_name, 'agent-hosting-service')
                AND application_name <> $1) AS sessions`,
    [ownName],
  );
  return rows[0] ?? { tables: [], sessions: 0 };
}

function columnList(columns: readonly string[]): string {
  return columns.map((name) => pg.escapeIdentifier(name)).join(', ');
}
