/** Full-text search of memory. */
import { type MemoryScope, rankByText, rankByWords, type Ranking } from '../../store/memory.js';
import { parseQuery } from '../../store/memory-words.js';
import type { Queryable } from '../../store/database.js';
import { planSearch } from './search-plan.js';
import { enough, firstLookup, newestEntries, shortLookup } from './word-lookups.js';

/** Of a long query only the longest words are used. */
const maxQueryWords = 10;

/** The entries of a user who has fewer than so many are all compared. */
const maxOfUser = 1_000;

export async function searchWords(
  searches: Queryable,
  scope: MemoryScope,
  query: string,
  limit: number,
): Promise<Ranking> {
  const found = await parseQuery(searches, scope.memoryId, query, maxQueryWords);
  if (found.length === 0)
    return rankByText(searches, scope, query, { newest: newestEntries, limit });
  const plan = planSearch(found);
  const { words } = plan;
  if (scope.sessionId !== undefined) {
    return rankByWords(searches, scope, { words, newest: newestEntries, limit });
  }
  if (scope.userId !== undefined) {
    const theirs = await rankByWords(searches, scope, { words, ofUser: maxOfUser, limit });
    if (theirs.compared < maxOfUser) return theirs;
  }
  const short = shortLookup(plan, scope, limit);
  if (short) {
    const latest = await rankByWords(searches, scope, { words, ...short, limit });
    if (latest.total >= enough(limit)) return latest;
  }
  const first = firstLookup(plan, scope);
  const ranking = await rankByWords(searches, scope, { words, ...first, limit });
  if (ranking.matches.length === limit || first.newest === 0) return ranking;
  // Too few matches: a word is frequent among older entries only, or rare within the filter.
  const anyOf = words.map(({ word }) => word);
  return rankByWords(searches, scope, { words, ...first, anyOf, limit });
}
