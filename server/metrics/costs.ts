/** The usage and costs of agents of an account, by agent and by day. */
import type { TimeRange } from '../lib/time/time-buckets.js';
import type { Queryable, Statement } from '../postgres/connection.js';
import { sqlTime } from './cover.js';

/** The price of a million tokens of a model; undefined if it is not known. */
export type PriceOf = (model: string) => number | undefined;

export interface UsageRow {
  /** Undefined if the row is a sum over all agents. */
  agent: string | undefined;
  /** In UTC, such as 2026-11-02; undefined if the row is a sum over all days. */
  day: string | undefined;
  invocations: number;
  failures: number;
  tokens: number;
  /** Covers only tokens whose price is known. */
  cost: number;
  unpricedTokens: number;
}

export interface UsageRequest {
  accountId: string;
  /** The agents' names by their ids. */
  agents: ReadonlyMap<string, string>;
  range: TimeRange;
  /** The only dimension to group by; undefined for both. */
  by: 'agent' | 'day' | undefined;
}

/** The finished invocations of an agent that used a model, by the day on which they were received. */
interface UsageOfModel {
  agentId: string;
  /** The start of the day in UTC. */
  day: Date;
  /** Null: unknown. */
  model: string | null;
  invocations: number;
  failures: number;
  tokens: number;
}

// Reads the invocations themselves, because the counts do not include the model. SQL because Prisma cannot group by day.
const byModel: Statement = {
  name: 'usage_by_model',
  text: `
    SELECT agent_id AS "agentId", date_bin('1 day', created_at, 'epoch') AS day, model, count(*)::float8 AS invocations,
           count(*) FILTER (WHERE status = 'failed')::float8 AS failures, coalesce(sum(tokens_used), 0)::float8 AS tokens
      FROM invocations
     WHERE account_id = $4 AND agent_id = ANY ($1::text[]) AND created_at >= $2::timestamptz AND created_at < $3::timestamptz
       AND status IN ('succeeded', 'failed')
     GROUP BY 1, 2, 3
     ORDER BY 2, 1, 3`,
};

/** Sorted by day, then by the agent's name. */
export async function readCosts(
  database: Queryable,
  { accountId, agents, range: { from, to }, by }: UsageRequest,
  priceOf: PriceOf,
): Promise<UsageRow[]> {
  const values = [[...agents.keys()], sqlTime(from), sqlTime(to), accountId];
  const rows = new Map<string, UsageRow>();
  for (const usage of await database.run<UsageOfModel>(byModel, values)) {
    const name = by === 'day' ? undefined : agents.get(usage.agentId);
    const day = by === 'agent' ? undefined : usage.day.toISOString().slice(0, 10);
    const key = JSON.stringify([day, name]);
    const row = rows.get(key) ?? emptyRow(name, day);
    rows.set(key, add(row, usage, priceOf));
  }
  return [...rows.values()].sort((one, other) => (sortKeyOf(one) < sortKeyOf(other) ? -1 : 1));
}

function emptyRow(agent: string | undefined, day: string | undefined): UsageRow {
  return { agent, day, invocations: 0, failures: 0, tokens: 0, cost: 0, unpricedTokens: 0 };
}

function add(row: UsageRow, { model, ...used }: UsageOfModel, priceOf: PriceOf): UsageRow {
  const price = model === null ? undefined : priceOf(model);
  return {
    ...row,
    invocations: row.invocations + used.invocations,
    failures: row.failures + used.failures,
    tokens: row.tokens + used.tokens,
    cost: row.cost + ((price ?? 0) * used.tokens) / 1_000_000,
    unpricedTokens: row.unpricedTokens + (price === undefined ? used.tokens : 0),
  };
}

function sortKeyOf({ day = '', agent = '' }: UsageRow): string {
  return `${day} ${agent}`;
}
