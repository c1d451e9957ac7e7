/**
 * Divides a capacity among owners: each may hold as much as remains free. A single owner gets half, two get a third each, and
 * there is always capacity left for a new owner.
 */
export interface FairShares {
  free: () => number;
  /** How many more units the owner can take, one at a time. */
  roomFor: (owner: string) => number;
  canTake: (owner: string, amount?: number) => boolean;
  take: (owner: string, amount?: number) => void;
  release: (owner: string, amount?: number) => void;
}

export function createFairShares(capacity: number): FairShares {
  const held = new Map<string, number>();
  let free = capacity;

  const add = (owner: string, amount: number) => {
    free -= amount;
    const total = (held.get(owner) ?? 0) + amount;
    if (total === 0) held.delete(owner);
    else held.set(owner, total);
  };

  return {
    free: () => free,
    roomFor: (owner) => Math.max(0, Math.floor((free - (held.get(owner) ?? 0) + 1) / 2)),
    // Taken one by one, the last unit must not bring the owner above what was free before it.
    canTake: (owner, amount = 1) => (held.get(owner) ?? 0) + 2 * amount - 1 <= free,
    take: (owner, amount = 1) => {
      add(owner, amount);
    },
    release: (owner, amount = 1) => {
      add(owner, -amount);
    },
  };
}
