/** Plans of statements, as PostgreSQL explains them. */
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
  /** Reads whole tables only where there is no other way, though at their size that may be the cheapest. */
  avoidsWholeTables?: boolean;
}

/** As autovacuum does in time: not of partitions that are empty yet. */
export async function analyzeAll({ pool }: OpenDatabase): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0`,
  );
  await pool.query(`ANALYZE ${rows.map(({ name }) => `"${name}"`).join(', ')}`);
}

/** The plan of a statement, which is not run. */
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

/** Partitions and their indexes are called what they are parts of. It makes no difference how empty ones are read. */
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

/** The node and all below it. Those below a node that `isEnd` are left out. */
export function nodesOf(
  node: PlanNode,
  isEnd: (node: PlanNode) => boolean = () => false,
): PlanNode[] {
  const below = isEnd(node) ? [] : (node.Plans ?? []);
  return [node, ...below.flatMap((child) => nodesOf(child, isEnd))];
}

/** What leaves few rows of many. */
const reduces = (node: PlanNode) => ['Limit', 'Aggregate'].includes(node['Node Type']);

/** Names of the indexes that are read, and of the tables that are read as a whole, or sorted while they are many rows. */
export function readingsOf(plan: PlanNode): {
  indexes: string[];
  whole: string[];
  sorted: string[];
} {
  const nodes = nodesOf(plan);
  const tables = (of: PlanNode[]) => of.flatMap((node) => node['Relation Name'] ?? []);
  // An incremental sort of what an index has nearly sorted stops as soon as a page is full.
  const sorts = nodes.filter((node) => node['Node Type'] === 'Sort');
  return {
    indexes: nodes.flatMap((node) => node['Index Name'] ?? []),
    whole: tables(nodes.filter((node) => node['Node Type'] === 'Seq Scan')),
    sorted: sorts.flatMap((sort) => tables(nodesOf(sort, reduces))),
  };
}
