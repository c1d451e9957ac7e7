/** Counts the tokens that agents and accounts with a budget have used: one row per owner and window. */
import { parseDuration } from '../lib/time/duration.js';
import { batched } from '../postgres/batched.js';
import type { Connection, Queryable } from '../postgres/connection.js';
import { addTokens, type BudgetKey, findExhausted, type ExhaustedBudget } from './budgets.sql.js';

const minWindowMs = 60_000;
const maxWindowMs = 31 * 86_400_000;

/** Describes what is wrong with a budget window; undefined if it is valid. */
export function budgetWindowProblem(window: string): string | undefined {
  const windowMs = parseDuration(window) ?? 0;
  return windowMs < minWindowMs || windowMs > maxWindowMs ? 'must be from 1m to 31d' : undefined;
}

export interface OwnedBudget extends BudgetKey {
  /** The number of tokens that may be used in a window. */
  tokens: number;
}

export interface BudgetCounters {
  /** Returns the budgets that have no tokens left in the current window. */
  findExhausted: (accountId: string, budgets: readonly OwnedBudget[]) => Promise<ExhaustedBudget[]>;
  /** Counts tokens against all the budgets. Once it resolves, the counts are on disk. */
  add: (accountId: string, budgets: readonly BudgetKey[], tokens: number) => Promise<void>;
}

interface Spending {
  accountId: string;
  budgets: readonly BudgetKey[];
  tokens: number;
}

/** Batches by account: requests that arrive while a statement runs share the next one, instead of queueing for a budget's row lock. */
export function createBudgetCounters(database: Queryable): BudgetCounters {
  const add = batched<Spending, true>(
    async (spendings) => {
      const used = spendings.flatMap(({ budgets, tokens }) =>
        budgets.map(({ ownerId, windowMs }) => ({ ownerId, windowMs, tokens })),
      );
      await addTokens(database, spendings[0]?.accountId ?? '', used);
      return spendings.map(() => true);
    },
    { keyOf: ({ accountId }) => accountId },
  );
  return {
    findExhausted: (accountId, budgets) => findExhausted(database, accountId, budgets),
    add: async (accountId, budgets, tokens) => {
      await add({ accountId, budgets, tokens });
    },
  };
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
