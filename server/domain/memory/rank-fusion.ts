/** Reciprocal rank fusion: merges two rankings into one, with what ranks high in both first. */
import type { Ranked } from '../../store/memory/memory.js';

/** The constant k of the formula, which limits the advantage of the first ranks; 60 is the usual value. */
const k = 60;

/** Scores are scaled so that first in both rankings is 1. */
export function fuse(one: readonly Ranked[], other: readonly Ranked[]): Ranked[] {
  const scores = new Map<string, number>();
  for (const ranking of [one, other]) {
    for (const [rank, { id }] of ranking.entries()) {
      const share = (k + 1) / (k + 1 + rank) / 2;
      scores.set(id, (scores.get(id) ?? 0) + share);
    }
  }
  return [...scores]
    .map(([id, score]) => ({ id, score }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1));
}
