/**
 * Divides a capacity among accounts: each may hold as much as is left free. One alone thus gets half, two get a third
 * each, and there is room for a newcomer however long the others hold on.
 */
export interface FairShares {
  free: () => number;
  /** What each account holds, of those that hold anything. */
  held: () => ReadonlyMap<string, number>;
  /** How much more the account can take, one after the other. */
  roomFor: (accountId: string) => number;
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
    roomFor: (accountId) => Math.max(0, Math.floor((free - (held.get(accountId) ?? 0) + 1) / 2)),
    // As if it took one after the other: with the last one it may not hold more than was free before that one.
    canTake: (accountId, amount = 1) => (held.get(accountId) ?? 0) + 2 * amount - 1 <= free,
    take: (accountId, amount = 1) => {
      add(accountId, amount);
    },
    release: (accountId, amount = 1) => {
      add(accountId, -amount);
    },
  };
}
