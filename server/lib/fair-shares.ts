/**
 * Divides a capacity among accounts: each may hold as much as is left free. One alone thus gets half, two get a third
 * each, and there is room for a newcomer however long the others hold on.
 */
export interface FairShares {
  free: () => number;
  /** What each account holds, of those that hold anything. */
  held: () => ReadonlyMap<string, number>;
  canTake: (accountId: string, amount?: number) => boolean;
  take: (accountId: string, amount?: number) => void;
  release: (accountId: string, amount?: number) => void;
}

export function createFairShares(capacity: number): FairShares {
  const held = new Map<string, number>();
  let free = capacity;

  const add = (accountId: string, amount: number) => {
    free -= amount;
    const total = (held.get(accountId) ?? 0) + amount;
    if (total === 0) held.delete(accountId);
    else held.set(accountId, total);
  };

  return {
    free: () => free,
    held: () => held,
    // After taking, the account may not hold more than was free without it.
    canTake: (accountId, amount = 1) => (held.get(accountId) ?? 0) + amount <= free,
    take: (accountId, amount = 1) => {
      add(accountId, amount);
    },
    release: (accountId, amount = 1) => {
      add(accountId, -amount);
    },
  };
}
