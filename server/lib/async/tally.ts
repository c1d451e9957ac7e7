/** Keeps a count for each key. */
interface Tally {
  of: (key: string) => number;
  add: (key: string) => void;
  remove: (key: string) => void;
}

export function createTally(): Tally {
  const counts = new Map<string, number>();
  const of = (key: string) => counts.get(key) ?? 0;
  return {
    of,
    add: (key) => {
      counts.set(key, of(key) + 1);
    },
    remove: (key) => {
      if (of(key) > 1) counts.set(key, of(key) - 1);
      else counts.delete(key);
    },
  };
}
