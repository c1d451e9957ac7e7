/** Full-text search of memory. */
import {
  type MemoryScope,
  rankByText,
  rankByWords,
  type Ranking,
} from '../../store/memory/memory.js';
import { findQueryWords } from '../../store/memory/words.js';
import type { Queryable } from '../../store/postgres/database.js';

/** Of a long query only the longest words are used. */
const maxQueryWords = 10;

export async function searchWords(
  searches: Queryable,
  scope: MemoryScope,
  query: string,
  limit: number,
): Promise<Ranking> {
  const words = await findQueryWords(searches, scope, query, maxQueryWords);
  if (words.length === 0) return rankByText(searches, scope, query, limit);
  return rankByWords(searches, scope, { words, limit });
}
