/** Remembers what was refused for its size, so that the next of its name is refused before any work is done for it. */
import { putLatest } from './put-latest.js';

export interface Refusals {
  note: (name: string, size: number) => void;
  forget: (name: string) => void;
  /** Whether one of that name was refused, and as much does not fit now either. Now and then one may find out by itself. */
  stands: (name: string, fits: (size: number) => boolean) => boolean;
}

const tryAgainMs = 1_000;
const maxRefusals = 1_000;

export function createRefusals(now: () => number): Refusals {
  const refusals = new Map<string, { size: number; at: number }>();
  return {
    note: (name, size) => {
      putLatest(refusals, name, { size, at: now() }, maxRefusals);
    },
    forget: (name) => {
      refusals.delete(name);
    },
    stands: (name, fits) => {
      const refusal = refusals.get(name);
      if (!refusal || fits(refusal.size)) return false;
      if (now() - refusal.at < tryAgainMs) return true;
      refusal.at = now();
      return false;
    },
  };
}
