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

// Windows begin at multiples of their length since the epoch. $1 the account, $2 the owners, $3 the lengths.
const windowEnd = `
  date_bin(owned.window_ms * interval '1 ms', now(), 'epoch') + owned.window_ms * interval '1 ms'`;

// $4 the budgets.
const usedUp: Statement = {
  name: 'budgets_used_up',
  text: `
    SELECT owned.owner_id AS "ownerId", ends_at AS "endsAt",
           greatest(1, ceil(extract(epoch FROM ends_at - now())))::int AS seconds
      FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS owned (owner_id, window_ms, budget)
      JOIN budget_windows used ON used.account_id = $1 AND used.owner_id = owned.owner_id AND used.window_ms = owned.window_ms
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
  accountId: string,
  budgets: readonly (BudgetKey & { tokens: number })[],
): Promise<UsedUpBudget[]> {
  return database.run<UsedUpBudget>(usedUp, [accountId, ...columnsOf(budgets)]);
}

// $4 the tokens used. In one order, so that two statements cannot wait for each other.
const add: Statement = {
  name: 'budgets_add',
  text: `
    INSERT INTO budget_windows AS used (account_id, owner_id, window_ms, ends_at, tokens)
    SELECT $1, owned.owner_id, owned.window_ms, ${windowEnd}, sum(owned.tokens)
      FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS owned (owner_id, window_ms, tokens)
     GROUP BY 2, 3
     ORDER BY 2, 3
    ON CONFLICT (account_id, owner_id, window_ms, ends_at) DO UPDATE SET tokens = used.tokens + excluded.tokens`,
};

/** Counts tokens in the present windows, all of them or none. */
export async function addTokens(
  database: Queryable,
  accountId: string,
  used: readonly (BudgetKey & { tokens: number })[],
): Promise<void> {
  await database.run(add, [accountId, ...columnsOf(used)]);
}

function columnsOf(rows: readonly (BudgetKey & { tokens: number })[]) {
  return [
    rows.map(({ ownerId }) => ownerId),
    rows.map(({ windowMs }) => windowMs),
    rows.map(({ tokens }) => tokens),
  ];
}
