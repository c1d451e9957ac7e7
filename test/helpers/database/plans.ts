/** Query plans, from EXPLAIN. */
import type pg from 'pg';
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
