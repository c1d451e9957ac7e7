/** Limits concurrent tasks: each account can run at most as many as remain free, and its other tasks wait. */
import { createFairShares } from '../lib/async/fair-shares.js';

export function limitPerAccount(
  max: number,
): <Result>(accountId: string, task: () => Promise<Result>) => Promise<Result> {
  const shares = createFairShares(max);
  const waiting: { accountId: string; start: () => void }[] = [];

  const startNext = () => {
    const index = waiting.findIndex(({ accountId }) => shares.canTake(accountId));
    const [next] = index === -1 ? [] : waiting.splice(index, 1);
    if (!next) return;
    shares.take(next.accountId);
    next.start();
  };

  return async (accountId, task) => {
    if (shares.canTake(accountId)) shares.take(accountId);
    else await new Promise<void>((start) => waiting.push({ accountId, start }));
    try {
      return await task();
    } finally {
      shares.release(accountId);
      startNext();
    }
  };
}
