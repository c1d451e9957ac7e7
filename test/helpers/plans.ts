/** Plans of statements, as PostgreSQL explains them. */
import type { OpenDatabase } from './database.js';
import type { SentStatement } from './statements.js';

export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: PlanNode[];
}

export interface ExplainOptions {
  /** Reads whole tables only where there is no other way, though at their size that may be the cheapest. */
  avoidsWholeTables?: boolean;
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
    return plan;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
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
