/** Seeded random numbers, so that a failing run can be repeated. */
export interface Random {
  /** At least 0 and less than the limit. */
  below: (limit: number) => number;
  /** An integer, both bounds included. */
  between: (least: number, most: number) => number;
  chance: (probability: number) => boolean;
  of: <Item>(items: readonly Item[]) => Item;
}

/** Mulberry32: small, and good enough for tests. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (limit) => next() * limit,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (probability) => next() < probability,
    of: (items) => {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error('There is nothing to choose from.');
      return item;
    },
  };
}
