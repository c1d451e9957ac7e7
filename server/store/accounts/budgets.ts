/** What the agents and accounts that have a budget used of it: one row for each of them and each window. */
import { batched } from '../postgres/batched.js';
import type { Connection, Queryable } from '../postgres/connection.js';
import { addTokens, type BudgetKey, findUsedUp, type UsedUpBudget } from './budgets.sql.js';

export type { BudgetKey, UsedUpBudget };

export interface OwnedBudget extends BudgetKey {
  /** How many may be used in a window. */
  tokens: number;
}

export interface BudgetCounters {
  /** Those of the budgets of which nothing is left in the present window. */
  findUsedUp: (accountId: string, budgets: readonly OwnedBudget[]) => Promise<UsedUpBudget[]>;
  /** Counts tokens against all of the budgets. Once it resolves, they are on disk. */
  add: (accountId: string, budgets: readonly BudgetKey[], tokens: number) => Promise<void>;
}

interface Spending {
  accountId: string;
  budgets: readonly BudgetKey[];
  tokens: number;
}

/** What an account spends while a statement of it runs shares the next one, so that requests do not wait in line for the row of a budget. */
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
    findUsedUp: (accountId, budgets) => findUsedUp(database, accountId, budgets),
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
