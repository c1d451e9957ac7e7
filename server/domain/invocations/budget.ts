/** Budgets of tokens: checks before each call of a model that something is left, and counts what the calls used. */
import type { Budget } from '../../../generated/manifest.js';
import { parseDuration } from '../../lib/time/duration.js';
import type { ActiveAgent } from '../../store/agents/agents.js';
import type { BudgetCounters, OwnedBudget } from '../../store/accounts/budgets.js';

/** The meter of one invocation. */
export interface BudgetMeter {
  /** To be called before each call of a model. Counts what earlier calls used; throws if a budget is used up. */
  beforeCall: () => Promise<void>;
  /** To be called when the last call has ended, in whatever way, and before its answer is given. */
  settle: () => Promise<void>;
}

const minWindowMs = 60_000;
const maxWindowMs = 31 * 86_400_000;

/** What is wrong with the window of a budget; undefined if nothing is. */
export function budgetWindowProblem(window: string): string | undefined {
  const windowMs = parseDuration(window) ?? 0;
  return windowMs < minWindowMs || windowMs > maxWindowMs ? 'must be from 1m to 31d' : undefined;
}

export interface UsedUp extends Budget {
  owner: 'agent' | 'account';
  renewsAt: Date;
  /** Seconds until then. */
  retryAfter: number;
}

/** A budget is used up, so that no model is called. */
export class BudgetUsedUp extends Error {
  override readonly name = 'BudgetUsedUp';
  readonly budget: UsedUp;

  constructor(budget: UsedUp) {
    super(`The ${budget.owner} has used its budget.`);
    this.budget = budget;
  }
}

/**
 * `tokensUsed` tells what all calls of the invocation have used together, as far as it is known. Calls that run while the last
 * tokens are used go on, so that a budget is exceeded by no more than those calls use.
 */
export function openBudgetMeter(
  counters: BudgetCounters,
  agent: ActiveAgent,
  tokensUsed: () => number,
): BudgetMeter | undefined {
  const budgets = budgetsOf(agent);
  if (budgets.length === 0) return undefined;
  let counted = 0;
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
      const usedUp = await counters.findUsedUp(agent.accountId, budgets);
      // The one that renews last: before that, the renewal of the other one does not help.
      const [last] = usedUp.sort((one, other) => other.endsAt.getTime() - one.endsAt.getTime());
      const budget = budgets.find(({ ownerId }) => ownerId === last?.ownerId);
      if (!last || !budget) return;
      const { owner, tokens, window } = budget;
      const { endsAt: renewsAt, seconds: retryAfter } = last;
      throw new BudgetUsedUp({ owner, tokens, window, renewsAt, retryAfter });
    },
  };
}

/** The result of calls, once what they used is counted. */
export async function settled<Result>(
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
