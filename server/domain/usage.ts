/** What the agents of an account used, by agent and by day, and what it costs. */
import type { TimeRange } from '../lib/time/time-buckets.js';
import type { Database } from '../store/postgres/database.js';
import { type ModelUsage, readUsageByModel } from '../store/usage/usage.js';
import { getAgent, listAgents } from './agents/agents.js';
import type { Caller } from './caller.js';

/** What a million tokens of a model cost; undefined: its price is not known. */
export type PriceOf = (model: string) => number | undefined;

export interface UsageRow {
  /** Undefined, here and below: summed up over all of them. */
  agent: string | undefined;
  /** In UTC, as in 2026-11-02. */
  day: string | undefined;
  invocations: number;
  failures: number;
  tokens: number;
  /** Of the tokens whose price is known. */
  cost: number;
  /** The tokens whose price is not known. */
  unpricedTokens: number;
}

export interface UsageQuery {
  /** Undefined: all agents of the account. */
  agent: string | undefined;
  range: TimeRange;
  /** Undefined: both. */
  by: 'agent' | 'day' | undefined;
}

/** By day and then by the name of the agent. */
export async function readCosts(
  database: Database,
  caller: Caller,
  { agent, range, by }: UsageQuery,
  priceOf: PriceOf,
): Promise<UsageRow[]> {
  const names = await agentNames(database, caller, agent);
  const rows = new Map<string, UsageRow>();
  const { accountId } = caller;
  for (const usage of await readUsageByModel(database, accountId, [...names.keys()], range)) {
    const name = by === 'day' ? undefined : names.get(usage.agentId);
    const day = by === 'agent' ? undefined : usage.day.toISOString().slice(0, 10);
    const key = JSON.stringify([day, name]);
    const row = rows.get(key) ?? emptyRow(name, day);
    rows.set(key, add(row, usage, priceOf));
  }
  return [...rows.values()].sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

async function agentNames(
  database: Database,
  caller: Caller,
  reference: string | undefined,
): Promise<Map<string, string>> {
  if (reference !== undefined) {
    const { id, name } = await getAgent(database, caller, reference);
    return new Map([[id, name]]);
  }
  const all = { status: undefined, name: undefined, sort: 'name', offset: 0 } as const;
  const { items } = await listAgents(database, caller, { ...all, limit: 1_000_000 });
  return new Map(items.map(({ id, name }) => [id, name]));
}

function emptyRow(agent: string | undefined, day: string | undefined): UsageRow {
  return { agent, day, invocations: 0, failures: 0, tokens: 0, cost: 0, unpricedTokens: 0 };
}

function add(row: UsageRow, { model, ...used }: ModelUsage, priceOf: PriceOf): UsageRow {
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

function orderOf({ day = '', agent = '' }: UsageRow): string {
  return `${day} ${agent}`;
}
