/** The content of a database as text, to check that nothing changed or that a text does not occur. */
import type { OpenDatabase } from './database.js';

/** Columns that read-only or rejected requests and background tasks may change. */
const bookkeeping: Record<string, string[]> = {
  api_keys: ['last_used_at'],
  rate_buckets: ['*'],
  budget_windows: ['*'],
  instances: ['*'],
  idempotency_records: ['*'],
  settings: ['*'],
  usage_deltas: ['*'],
  usage_rollups: ['*'],
};

/** A checksum of each table, without the data that every request changes. */
export async function fingerprint(database: OpenDatabase): Promise<Record<string, string>> {
  const checksums = await query<{ name: string; sum: string }>(
    database,
    (table, content) => `
      SELECT '${table}' AS name, count(*) || ' ' || coalesce(md5(string_agg(content, '' ORDER BY content)), '') AS sum
        FROM (${content}) AS rows`,
  );
  return Object.fromEntries(checksums.map(({ name, sum }) => [name, sum]));
}

/** The rows in which each of the ids occurs, without the data that every request changes. */
export async function rowsNaming(
  database: OpenDatabase,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const found = new Map(ids.map((id) => [id, [] as string[]]));
  const rows = await query<{ content: string }>(database, (_table, content) => content);
  for (const { content } of rows) {
    const named = new Set(content.match(/\b[a-z]+_[0-9a-z]{26}\b/g));
    for (const id of named) found.get(id)?.push(content);
  }
  return new Map([...found].map(([id, contents]) => [id, contents.toSorted()]));
}

/** Runs the same query on each table. `content` selects its rows as text. */
async function query<Row extends object>(
  { pool }: Pick<OpenDatabase, 'pool'>,
  statementOf: (table: string, content: string) => string,
): Promise<Row[]> {
  const tables = (await tablesOf({ pool })).filter((table) => !bookkeeping[table]?.includes('*'));
  const statements = tables.map((table) => {
    const ignored = (bookkeeping[table] ?? []).map((column) => ` - '${column}'`).join('');
    const content = `SELECT (to_jsonb(whole_row)${ignored})::text AS content FROM "${table}" AS whole_row`;
    return statementOf(table, content);
  });
  return (await pool.query<Row>(statements.join(' UNION ALL '))).rows;
}

/** Every value of every table; bytes are included both raw and in hexadecimal. */
export async function dump({ pool }: OpenDatabase): Promise<string> {
  const tables = await tablesOf({ pool });
  const contents = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await pool.query<Record<string, unknown>>(`SELECT * FROM "${table}"`);
      return rows.flatMap((row) => [table, ...Object.values(row).map(written)]);
    }),
  );
  return contents.flat().join('\n');
}

/** Partitions are not listed separately. */
export async function tablesOf({ pool }: Pick<OpenDatabase, 'pool'>): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`,
  );
  return rows.map(({ name }) => name);
}

function written(value: unknown): string {
  if (Buffer.isBuffer(value)) return `${value.toString('latin1')}\n${value.toString('hex')}`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
