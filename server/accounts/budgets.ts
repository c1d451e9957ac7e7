/** Counts the tokens that agents and accounts with a budget have used: one row per owner and window. */
import { parseDuration } from '../lib/time/duration.js';
import { batched } from '../postgres/batched.js';
import type { Connection, Queryable, Statement } from '../postgres/connection.js';

const minWindowMs = 60_000;
const maxWindowMs = 31 * 86_400_000;

/** Describes what is wrong with a budget window; undefined if it is valid. */
export function budgetWindowProblem(window: string): string | undefined {
  const windowMs = parseDuration(window) ?? 0;
  return windowMs < minWindowMs || windowMs > maxWindowMs ? 'must be from 1m to 31d' : undefined;
}

interface BudgetKey {
  /** The id of an agent or an account. */
  ownerId: string;
  windowMs: number;
}

export interface OwnedBudget extends BudgetKey {
  /** The number of tokens that may be used in a window. */
  tokens: number;
}

interface ExhaustedBudget {
  ownerId: string;
  /** When the window ends, and the seconds until then. */
  endsAt: Date;
  seconds: number;
}

export interface BudgetCounters {
  /** Returns the budgets that have no tokens left in the current window. */
  findExhausted: (accountId: string, budgets: readonly OwnedBudget[]) => Promise<ExhaustedBudget[]>;
  /** Counts tokens against all the budgets. Once it resolves, the counts are on disk. */
  add: (accountId: string, budgets: readonly BudgetKey[], tokens: number) => Promise<void>;
}

// SQL because windows begin and end by the database's clock, so that instances with different clocks count in the same window. They
// begin at multiples of their length since the epoch.
export const endOfWindow = (windowMs: string) => `
  date_bin(${windowMs} * interval '1 ms', now(), 'epoch') + ${windowMs} * interval '1 ms'`;

// $1 account, $2 owners, $3 window lengths.
const windowEnd = endOfWindow('owned.window_ms');

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

interface Spending {
  accountId: string;
  budgets: readonly BudgetKey[];
  tokens: number;
}

/** Batches by account: requests that arrive while a statement runs share the next one, instead of queueing for a budget's row lock. */
export function createBudgetCounters(database: Queryable): BudgetCounters {
  const spend = batched<Spending, true>(
    async (spendings) => {
      const used = spendings.flatMap(({ budgets, tokens }) =>
        budgets.map(({ ownerId, windowMs }) => ({ ownerId, windowMs, tokens })),
      );
      await database.run(add, [spendings[0]?.accountId ?? '', ...columnsOf(used)]);
      return spendings.map(() => true);
    },
    { keyOf: ({ accountId }) => accountId },
  );
  return {
    findExhausted: (accountId, budgets) =>
      database.run<ExhaustedBudget>(exhausted, [accountId, ...columnsOf(budgets)]),
    add: async (accountId, budgets, tokens) => {
      await spend({ accountId, budgets, tokens });
    },
  };
}

function columnsOf(rows: readonly OwnedBudget[]) {
  return [
    rows.map(({ ownerId }) => ownerId),
    rows.map(({ windowMs }) => windowMs),
    rows.map(({ tokens }) => tokens),
  ];
}

/** Deletes up to `batch` windows that ended before the given time. Returns the number deleted. */
export async function pruneBudgetWindows(
  { prisma }: Connection,
  before: Date,
  batch: number,
): Promise<number> {
  const where = { endsAt: { lt: before } };
  const { count } = await prisma.budgetWindow.deleteMany({ where, limit: batch });
  return count;
}
