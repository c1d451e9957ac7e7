/** Makes one ranking of two by reciprocal rank fusion: what stands high in both comes first. */
import type { Ranked } from '../../store/memory.js';

/** Dampens the lead of the very first places; the customary value. */
const damping = 60;

/** The best possible score, first place in both, is 1. */
export function fuse(one: readonly Ranked[], other: readonly Ranked[]): Ranked[] {
  const scores = new Map<string, number>();
  for (const ranking of [one, other]) {
    for (const [place, { id }] of ranking.entries()) {
      const share = (damping + 1) / (damping + 1 + place) / 2;
      scores.set(id, (scores.get(id) ?? 0) + share);
    }
  }
  return [...scores]
    .map(([id, score]) => ({ id, score }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1));
}
