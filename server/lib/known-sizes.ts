/** Remembers how large things of a name were that were long, or refused for it, so that no work is done for what does not fit. */
import { putLatest } from './put-latest.js';

export interface KnownSizes {
  note: (name: string, size: number) => void;
  forget: (name: string) => void;
  of: (name: string) => number | undefined;
  /** Whether as much as was noted does not fit now. Every now and then it is false, so that one may find out by itself. */
  isTooLarge: (name: string, fits: (size: number) => boolean) => boolean;
}

const tryAgainMs = 1_000;
const maxNames = 1_000;

export function createKnownSizes(now: () => number): KnownSizes {
  const known = new Map<string, { size: number; triedAt: number }>();
  return {
    note: (name, size) => {
      putLatest(known, name, { size, triedAt: now() }, maxNames);
    },
    forget: (name) => {
      known.delete(name);
    },
    of: (name) => known.get(name)?.size,
    isTooLarge: (name, fits) => {
      const found = known.get(name);
      if (!found || fits(found.size)) return false;
      if (now() - found.triedAt < tryAgainMs) return true;
      found.triedAt = now();
      return false;
    },
  };
}
