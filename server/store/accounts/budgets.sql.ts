/**
 * Counts used tokens against budgets, and finds exhausted budgets.
 * Why SQL: windows begin and end by the database's clock, so that instances with different clocks count in the same window.
 */
import type { Queryable, Statement } from '../postgres/connection.js';

export interface BudgetKey {
  /** The id of an agent or an account. */
  ownerId: string;
  windowMs: number;
}

// Windows begin at multiples of their length since the epoch. $1 account, $2 owners, $3 window lengths.
const windowEnd = `
  date_bin(owned.window_ms * interval '1 ms', now(), 'epoch') + owned.window_ms * interval '1 ms'`;

// $4 budgets.
const exhausted: Statement = {
  name: 'budgets_exhausted',
  text: `
    SELECT owned.owner_id AS "ownerId", ends_at AS "endsAt",
           greatest(1, ceil(extract(epoch FROM ends_at - now())))::int AS seconds
      FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS owned (owner_id, window_ms, budget)
      JOIN budget_windows used ON used.account_id = $1 AND used.owner_id = owned.owner_id AND used.window_ms = owned.window_ms
                              AND used.ends_at = ${windowEnd}
     WHERE used.tokens >= owned.budget`,
};

export interface ExhaustedBudget {
  ownerId: string;
  /** When the window ends, and the seconds until then. */
  endsAt: Date;
  seconds: number;
}

export function findExhausted(
  database: Queryable,
  accountId: string,
  budgets: readonly (BudgetKey & { tokens: number })[],
): Promise<ExhaustedBudget[]> {
  return database.run<ExhaustedBudget>(exhausted, [accountId, ...columnsOf(budgets)]);
}

// $4 tokens used. The fixed order prevents deadlocks between concurrent statements.
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

/** Counts tokens in the current windows, atomically. */
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
