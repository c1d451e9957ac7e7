/** Token budgets: checks before each model call that tokens are left, and counts the tokens that the calls use. */
import type { Budget } from '../../generated/manifest.js';
import { parseDuration } from '../lib/time/duration.js';
import type { ActiveAgent } from '../agents/configurations.js';
import type { BudgetCounters, OwnedBudget } from '../accounts/budgets.js';

/** Meters one invocation. */
interface BudgetMeter {
  /** Must be called before each model call. Counts the tokens of earlier calls, and throws if a budget is used up. */
  beforeCall: () => Promise<void>;
  /** Must be called after the last model call, whether or not it succeeded, and before the invocation ends. */
  settle: () => Promise<void>;
}

interface UsedUp extends Budget {
  owner: 'agent' | 'account';
  renewsAt: Date;
  /** Seconds until `renewsAt`. */
  retryAfter: number;
}

/** No model is called, because a budget is used up. */
export class BudgetUsedUp extends Error {
  override readonly name = 'BudgetUsedUp';
  readonly budget: UsedUp;

  constructor(budget: UsedUp) {
    super(`The ${budget.owner} has used its budget.`);
    this.budget = budget;
  }
}

/**
 * `tokensUsed` returns the sum over all calls of the invocation, as far as it is known. Calls that are running when a budget is used
 * up continue, so the budget can be exceeded by the tokens of those calls.
 */
export function openBudgetMeter(
  counters: BudgetCounters,
  agent: ActiveAgent,
  tokensUsed: () => number,
): BudgetMeter | undefined {
  const budgets = budgetsOf(agent);
  if (budgets.length === 0) return undefined;
  // What another process has used of the run is counted already.
  let counted = tokensUsed();
  const settle = async () => {
    const total = tokensUsed();
    const uncounted = total - counted;
    counted = total;
    if (uncounted > 0) await counters.add(agent.accountId, budgets, uncounted);
  };
  return {
    settle,
    beforeCall: async () => {
      await settle();
      const usedUp = await counters.findExhausted(agent.accountId, budgets);
      // Both budgets must have tokens left, so the one that renews last determines when to retry.
      const [last] = usedUp.sort((one, other) => other.endsAt.getTime() - one.endsAt.getTime());
      const budget = budgets.find(({ ownerId }) => ownerId === last?.ownerId);
      if (!last || !budget) return;
      const { owner, tokens, window } = budget;
      const { endsAt: renewsAt, seconds: retryAfter } = last;
      throw new BudgetUsedUp({ owner, tokens, window, renewsAt, retryAfter });
    },
  };
}

/** Awaits the calls, and counts their tokens whether or not they succeed. */
export async function settleAfter<Result>(
  calls: Promise<Result>,
  meter: BudgetMeter | undefined,
): Promise<Result> {
  try {
    return await calls;
  } finally {
    await meter?.settle();
  }
}

type NamedBudget = OwnedBudget & Budget & Pick<UsedUp, 'owner'>;

function budgetsOf({ id, accountId, budget, accountBudget }: ActiveAgent): NamedBudget[] {
  return [...owned('agent', id, budget), ...owned('account', accountId, accountBudget)];
}

function owned(owner: UsedUp['owner'], ownerId: string, budget: Budget | null): NamedBudget[] {
  const windowMs = budget && parseDuration(budget.window);
  return windowMs ? [{ ...budget, owner, ownerId, windowMs }] : [];
}
