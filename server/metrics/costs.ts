/** The usage and costs of agents of an account, by agent and by day. */
import type { TimeRange } from '../lib/time/time-buckets.js';
import type { Database } from '../postgres/database.js';
import { type UsageOfModel, readUsageByModel } from './read.sql.js';

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

/** Sorted by day, then by the agent's name. */
export async function readCosts(
  database: Database,
  { accountId, agents, range, by }: UsageRequest,
  priceOf: PriceOf,
): Promise<UsageRow[]> {
  const rows = new Map<string, UsageRow>();
  for (const usage of await readUsageByModel(database, accountId, [...agents.keys()], range)) {
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
