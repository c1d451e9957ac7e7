/** What a database holds, as text: to see that nothing changed, and that something is nowhere in it. */
import type { OpenDatabase } from './database.js';

/** What requests may change that are refused, or that only read; and what background work notes for itself. */
const bookkeeping: Record<string, string[]> = {
  api_keys: ['last_used_at'],
  rate_buckets: ['*'],
  idempotency_records: ['*'],
  settings: ['*'],
};

/** A checksum of each table, without what every request leaves behind. */
export async function fingerprint(database: OpenDatabase): Promise<Record<string, string>> {
  const tables = await tablesOf(database);
  const sums = tables.filter((table) => !bookkeeping[table]?.includes('*')).map(checksumOf);
  const { rows } = await database.pool.query<{ name: string; sum: string }>(
    sums.join(' UNION ALL '),
  );
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
}

function checksumOf(table: string): string {
  const ignored = (bookkeeping[table] ?? []).map((column) => ` - '${column}'`).join('');
  return `
    SELECT '${table}' AS name, count(*) || ' ' || coalesce(md5(string_agg(content, '' ORDER BY content)), '') AS sum
      FROM (SELECT (to_jsonb(whole_row)${ignored})::text AS content FROM "${table}" AS whole_row) AS rows`;
}

/** Every value of every table, text as it is and bytes both as they are and in hexadecimal. */
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

async function tablesOf({ pool }: Pick<OpenDatabase, 'pool'>): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name`,
  );
  return rows.map(({ name }) => name);
}

function written(value: unknown): string {
  if (Buffer.isBuffer(value)) return `${value.toString('latin1')}\n${value.toString('hex')}`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
