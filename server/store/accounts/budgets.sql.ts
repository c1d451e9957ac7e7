/**
 * Counts the tokens that were used against budgets, and finds budgets that are used up.
 * Why SQL: windows begin and end by the database's clock, so that instances whose clocks differ count in the same one.
 */
import type { Queryable, Statement } from '../postgres/connection.js';

/** Whose budget it is: an agent or an account, by its id. */
export interface BudgetKey {
  ownerId: string;
  windowMs: number;
}

// Windows begin at multiples of their length since the epoch. $1 the owners, $2 the lengths.
const windowEnd = `
  date_bin(owned.window_ms * interval '1 ms', now(), 'epoch') + owned.window_ms * interval '1 ms'`;

// $3 the budgets.
const usedUp: Statement = {
  name: 'budgets_used_up',
  text: `
    SELECT owned.owner_id AS "ownerId", ends_at AS "endsAt",
           greatest(1, ceil(extract(epoch FROM ends_at - now())))::int AS seconds
      FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS owned (owner_id, window_ms, budget)
      JOIN budget_windows used ON used.owner_id = owned.owner_id AND used.window_ms = owned.window_ms
                              AND used.ends_at = ${windowEnd}
     WHERE used.tokens >= owned.budget`,
};

export interface UsedUpBudget {
  ownerId: string;
  /** When it renews, and the seconds until then. */
  endsAt: Date;
  seconds: number;
}

export function findUsedUp(
  database: Queryable,
  budgets: readonly (BudgetKey & { tokens: number })[],
): Promise<UsedUpBudget[]> {
  return database.run<UsedUpBudget>(usedUp, columnsOf(budgets));
}

// $3 the tokens used. In one order, so that two statements cannot wait for each other.
const add: Statement = {
  name: 'budgets_add',
  text: `
    INSERT INTO budget_windows AS used (owner_id, window_ms, ends_at, tokens)
    SELECT owned.owner_id, owned.window_ms, ${windowEnd}, sum(owned.tokens)
      FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS owned (owner_id, window_ms, tokens)
     GROUP BY 1, 2
     ORDER BY 1, 2
    ON CONFLICT (owner_id, window_ms, ends_at) DO UPDATE SET tokens = used.tokens + excluded.tokens`,
};

/** Counts tokens in the present windows, all of them or none. */
export async function addTokens(
  database: Queryable,
  used: readonly (BudgetKey & { tokens: number })[],
): Promise<void> {
  await database.run(add, columnsOf(used));
}

function columnsOf(rows: readonly (BudgetKey & { tokens: number })[]) {
  return [
    rows.map(({ ownerId }) => ownerId),
    rows.map(({ windowMs }) => windowMs),
    rows.map(({ tokens }) => tokens),
  ];
}
