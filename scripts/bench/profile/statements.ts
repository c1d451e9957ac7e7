/** Time in PostgreSQL by statement, as its extension pg_stat_statements counts it. */
import { connectAsAdmin } from '../lib/database.js';

/** The extension must be loaded when PostgreSQL starts. */
export const statementSettings = { shared_preload_libraries: 'pg_stat_statements' };

export interface StatementStatistics {
  query: string;
  calls: number;
  /** In microseconds. Without the commit of a statement that is a transaction by itself. */
  planned: number;
  executed: number;
  rows: number;
  walBytes: number;
}

export interface StatementCounter {
  reset: () => Promise<void>;
  /** The one that took longest first. */
  read: () => Promise<StatementStatistics[]>;
  close: () => Promise<void>;
}

export async function openStatementCounter(cluster: {
  url: string;
  adminUrl: string;
}): Promise<StatementCounter> {
  const admin = await connectAsAdmin(cluster);
  await admin.query('CREATE EXTENSION pg_stat_statements');
  await admin.query('ALTER SYSTEM SET pg_stat_statements.track_planning = on');
  await admin.query('SELECT pg_reload_conf()');
  return {
    reset: async () => {
      await admin.query('SELECT pg_stat_statements_reset()');
    },
    read: async () => {
      const { rows } = await admin.query<StatementStatistics>(`
        SELECT query, calls::float8, total_plan_time * 1000 AS planned, total_exec_time * 1000 AS executed,
               rows::float8, wal_bytes::float8 AS "walBytes"
          FROM pg_stat_statements WHERE userid <> CURRENT_USER::regrole
         ORDER BY total_plan_time + total_exec_time DESC`);
      return rows;
    },
    close: () => admin.end(),
  };
}

/** What says which statement it is, in one line: those that write several tables begin alike. */
export function shortStatement(query: string, length = 90): string {
  const line = query.replaceAll(/\s+/g, ' ').trim();
  const writes = line.match(/\b(INSERT INTO|(?<!FOR |DO |KEY )UPDATE|DELETE FROM) \w+/g) ?? [];
  const isLong = line.startsWith('WITH') && writes.length > 0;
  const shown = isLong ? `WITH … ${[...new Set(writes)].join(', ')}` : line;
  return shown.length > length ? `${shown.slice(0, length - 1)}…` : shown;
}
