/** Query plans, from EXPLAIN. */
import pg from 'pg';
import type { Queryable } from '../../../server/postgres/connection.js';
import type { OpenDatabase } from './database.js';
import type { SentStatement } from './statements.js';

export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Plan Rows'?: number;
  Plans?: PlanNode[];
}

export interface ExplainOptions {
  /** Disables sequential scans where possible, although they may be the cheapest for small tables. */
  avoidsWholeTables?: boolean;
}

/** Runs ANALYZE as autovacuum does, except on empty partitions. */
export async function analyzeAll({ pool }: OpenDatabase): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0`,
  );
  await pool.query(`ANALYZE ${rows.map(({ name }) => `"${name}"`).join(', ')}`);
}

/** The plan of a statement, without running it. */
export async function explain(
  { pool }: OpenDatabase,
  { text, values }: SentStatement,
  { avoidsWholeTables = false }: ExplainOptions = {},
): Promise<PlanNode> {
  const client = await pool.connect();
  try {
    await client.query(`BEGIN; SET LOCAL enable_seqscan = ${avoidsWholeTables ? 'off' : 'on'}`);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (FORMAT JSON) ${text}`,
      values,
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    if (plan === undefined) throw new Error('PostgreSQL gave no plan.');
    return await withoutPartitions(client, plan);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

/** Renames partitions and their indexes to those of the parent table. How empty ones are read does not matter. */
export async function withoutPartitions(
  client: Pick<pg.ClientBase, 'query'>,
  plan: PlanNode,
): Promise<PlanNode> {
  const { rows } = await client.query<{ name: string; of: string }>(
    `SELECT child.relname AS name, CASE WHEN pg_relation_size(child.oid) = 0 THEN 'nothing' ELSE parent.relname END AS of
       FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent`,
  );
  return named(plan, new Map(rows.map(({ name, of }) => [name, of])));
}

function named(node: PlanNode, parents: ReadonlyMap<string, string>): PlanNode {
  const { 'Relation Name': table, 'Index Name': index, Plans: below } = node;
  return {
    ...node,
    ...(table === undefined ? {} : { 'Relation Name': parents.get(table) ?? table }),
    ...(index === undefined ? {} : { 'Index Name': parents.get(index) ?? index }),
    ...(below === undefined ? {} : { Plans: below.map((child) => named(child, parents)) }),
  };
}

/** The node and its descendants, without those below a node for which `isEnd` is true. */
export function nodesOf(
  node: PlanNode,
  isEnd: (node: PlanNode) => boolean = () => false,
): PlanNode[] {
  const below = isEnd(node) ? [] : (node.Plans ?? []);
  return [node, ...below.flatMap((child) => nodesOf(child, isEnd))];
}

/** Nodes that reduce many rows to a few. */
const reduces = (node: PlanNode) => ['Limit', 'Aggregate'].includes(node['Node Type']);

/** The indexes that are read, and the tables that are scanned completely or sorted with many rows. */
export function indexesAndScansOf(plan: PlanNode): {
  indexes: string[];
  whole: string[];
  sorted: string[];
} {
  const nodes = nodesOf(plan);
  const tables = (of: PlanNode[]) => of.flatMap((node) => node['Relation Name'] ?? []);
  // An incremental sort of nearly sorted index output stops when a page is full.
  const sorts = nodes.filter((node) => node['Node Type'] === 'Sort');
  return {
    indexes: nodes.flatMap((node) => node['Index Name'] ?? []),
    whole: tables(nodes.filter((node) => node['Node Type'] === 'Seq Scan')),
    sorted: sorts.flatMap((sort) => tables(nodesOf(sort, reduces))),
  };
}

/** The number of rows that statements fetch from a table, including discarded ones. Plans are made once for all values, as in searches. */
export async function fetchedBy(
  database: OpenDatabase,
  table: string,
  run: (database: Queryable) => Promise<unknown>,
): Promise<number> {
  const sent: SentStatement[] = [];
  await run({
    run: (statement, values) => {
      sent.push({ text: statement.text, values });
      return database.run(statement, values);
    },
  });
  const client = await database.pool.connect();
  let fetched = 0;
  try {
    await client.query('BEGIN; SET LOCAL plan_cache_mode = force_generic_plan');
    for (const [index, { text, values }] of sent.entries()) {
      await client.query(`PREPARE explained_${index} AS ${text}`);
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE explained_${index} (${values.map(literal).join(', ')})`,
      );
      const plan = rows[0]?.['QUERY PLAN'][0].Plan;
      for (const node of plan ? nodesOf(plan) : []) fetched += fetchedOf(node, table);
      await client.query(`DEALLOCATE explained_${index}`);
    }
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  return fetched;
}

interface RunNode extends PlanNode {
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
}

/** An index-only scan fetches nothing. */
function fetchedOf(node: RunNode, table: string): number {
  const isFetch = ['Index Scan', 'Bitmap Heap Scan', 'Tid Scan', 'Seq Scan'].includes(
    node['Node Type'],
  );
  if (!isFetch || !node['Relation Name']?.startsWith(table)) return 0;
  const rows = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
  return rows * (node['Actual Loops'] ?? 0);
}

function literal(value: unknown): string {
  const text = Array.isArray(value)
    ? `{${value.map((item) => (item === null ? 'NULL' : JSON.stringify(String(item)))).join(',')}}`
    : value instanceof Date
      ? value.toISOString()
      : String(value);
  return pg.escapeLiteral(text);
}
