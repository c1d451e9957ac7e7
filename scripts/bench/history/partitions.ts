/** Creates the partitions that a service has after running for a long time. The tables must be empty. */
import type pg from 'pg';
import { lowestIdAt } from '../../../server/lib/data/typeid.js';
import {
  partitionedTables,
  type PartitionKey,
  partitionWidth,
} from '../../../server/postgres/retention/partitions.js';

const dayMs = 86_400_000;

/**
 * `days` is the length of the history. Today is always in the middle of a partition, since PostgreSQL plans reads of a nearly
 * empty partition differently.
 */
export async function layOutPartitions(client: pg.ClientBase, days: number): Promise<void> {
  const today = Math.floor(Date.now() / dayMs);
  const width = partitionWidth(days) === 'day' ? 1 : 30;
  const starts = Array.from(
    { length: Math.ceil(days / width) + 2 },
    (_, n) => n * width - days - Math.floor(width / 2),
  );
  for (const [table, key] of Object.entries<PartitionKey>(partitionedTables)) {
    const bound = (day: number | undefined) => {
      if (day === undefined) return 'MAXVALUE';
      const at = new Date((today + day) * dayMs);
      return `'${key.prefix === undefined ? at.toISOString() : lowestIdAt(key.prefix, at)}'`;
    };
    const { rows } = await client.query<{ name: string }>(
      'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass',
      [table],
    );
    const statements = [
      ...rows.map(({ name }) => `DROP TABLE ${name}`),
      `CREATE TABLE ${table}_past PARTITION OF ${table} FOR VALUES FROM (MINVALUE) TO (${bound(starts[0])})`,
      ...starts.map(
        (start, n) =>
          `CREATE TABLE ${table}_p${n} PARTITION OF ${table} FOR VALUES FROM (${bound(start)}) TO (${bound(starts[n + 1])})`,
      ),
    ];
    for (const statement of statements) {
      await client.query(statement);
    }
  }
}
