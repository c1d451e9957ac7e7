/** Full-text search of memory: chooses the words, weighs them, and decides which entries to look at. */
import { editDistance } from '../../lib/edit-distance.js';
import { lowestIdAt, timeOfId } from '../../lib/typeid.js';
import {
  comparedByDensity,
  type MemoryLookup,
  type MemoryScope,
  rankByText,
  rankByWords,
  type Ranking,
  type SearchWord,
} from '../../store/memory.js';
import { type QueryWord, type SimilarWord, parseQuery } from '../../store/memory-words.js';
import type { Queryable } from '../../store/database.js';

/** Of a long query only the longest words are used. */
const maxQueryWords = 10;

const maxSimilarWords = 5;

/** A word in at most this many entries is rare: all its entries are looked up. Of a frequent word, only the newest. */
const maxRareEntries = 2_000;

/** Of words in more entries, or in a larger share of them, the newest are found sooner by reading than in the index. */
const maxIndexedEntries = 50_000;
const maxIndexedShare = 0.1;

/** How many of the newest entries are scanned; fewer for one user, who may have written none of them. */
const newestEntries = 5_000;
const newestForUser = 1_000;

/** The entries of a user who has fewer than so many are all compared. */
const maxOfUser = 1_000;

/** Entries that contain all words are looked up by the rarest of these, if about so many or fewer contain them. */
const maxEntriesWithAll = 4_000;
const fewEntriesWithAll = 200;

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
  const ranking = await rankByWords(searches, scope, { ...first, limit });
  if (ranking.matches.length === limit || first.newest === 0) return ranking;
  // Too few matches: a word is frequent among older entries only, or rare within the filter.
  const full = { ...first, anyOf: words.map(({ word }) => word), limit };
  return rankByWords(searches, scope, full);
}

interface SearchPlan {
  /** The words of the query. */
  terms: string[];
  /** The terms and the words that are similar to them. */
  words: SearchWord[];
  /** The number of entries with each word. An unknown word counts as rare. */
  entries: Map<string, number>;
  allEntries: number;
  /** The id of the oldest entry. */
  oldest: string | null;
}

function planSearch(found: QueryWord[]): SearchPlan {
  const terms = found.map((queried) => ({ ...queried, similar: variantsOf(queried) }));
  const allEntries = found[0]?.allEntries ?? 0;
  // Inverse document frequency: the rarer a word, the more it counts.
  const weights = terms.map(({ entries }) => Math.log(2 + allEntries / (1 + (entries ?? 0))));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return {
    allEntries,
    oldest: found[0]?.oldest ?? null,
    terms: terms.map(({ word }) => word),
    words: terms.flatMap(({ word, similar }, term) => {
      const weight = (weights[term] ?? 0) / sum;
      return [
        { term, word, strength: 1, weight },
        ...similar.map((variant) => ({
          term,
          word: variant.word,
          strength: 0.4 + variant.similarity / 2,
          weight,
        })),
      ];
    }),
    entries: new Map(
      terms
        .flatMap(({ similar, ...word }) => [word, ...similar])
        .map(({ word, entries }) => [word, entries ?? 0]),
    ),
  };
}

/** Of entries that match equally well the newest are compared, and so many are enough. */
const enough = (limit: number) => Math.max(limit, comparedByDensity);

/**
 * A lookup of the latest entries with a word, if it is the only one searched for, since all of them match equally well: of as many
 * as are likely to be enough. Undefined if that would not save much.
 */
function shortLookup(
  { words, entries, allEntries, oldest }: SearchPlan,
  { userId }: MemoryScope,
  limit: number,
): Omit<MemoryLookup, 'words' | 'limit'> | undefined {
  const [only, ...others] = words;
  if (!only || others.length > 0 || userId !== undefined || oldest === null) return undefined;
  const { word } = only;
  const withWord = entries.get(word) ?? 0;
  const share = (1.5 * enough(limit)) / withWord;
  if (!isRareWord(withWord)) {
    const newest = Math.ceil(share * allEntries);
    return newest < newestEntries && isIndexed(withWord, allEntries)
      ? { newest, newestBy: 'index' }
      : undefined;
  }
  const now = Date.now();
  const beginning = timeOfId(oldest).getTime();
  return share < 0.5
    ? { anyOf: [word], anyOfSince: lowestIdAt('mem', new Date(now - share * (now - beginning))) }
    : undefined;
}

const isRareWord = (entries: number) => entries <= maxRareEntries;

const isIndexed = (entries: number, allEntries: number) =>
  entries <= maxIndexedEntries && entries <= maxIndexedShare * allEntries;

/** The first lookup: every entry with a rare word, and the newest entries for frequent ones. */
function firstLookup(
  { words, entries, terms, allEntries }: SearchPlan,
  { userId }: MemoryScope,
): Omit<MemoryLookup, 'limit'> {
  const entriesOf = (word: string) => entries.get(word) ?? 0;
  const isRare = (word: string) => isRareWord(entriesOf(word));
  const hasFrequent = words.some(({ word }) => !isRare(word));
  const together = rarestTogether(terms, entriesOf, allEntries);
  const lookUpAll =
    userId === undefined &&
    !terms.some(isRare) &&
    terms.length > 1 &&
    together.entries <= maxEntriesWithAll;
  const newest = userId === undefined ? newestEntries : newestForUser;
  const inAny = words.reduce((sum, { word }) => sum + entriesOf(word), 0);
  return {
    words,
    newest: hasFrequent ? newest : 0,
    newestBy: isIndexed(inAny, allEntries) ? 'index' : 'reading',
    anyOf: words.map(({ word }) => word).filter(isRare),
    allOf: lookUpAll ? together.words : [],
  };
}

/**
 * The rarest words, as many as it takes until few entries are likely to contain all of them. To find those that contain further
 * ones too would take longer, since the index has the more entries of a word the more frequent it is.
 */
function rarestTogether(
  words: readonly string[],
  entriesOf: (word: string) => number,
  allEntries: number,
): { words: string[]; entries: number } {
  const found = { words: [] as string[], entries: allEntries };
  for (const word of words.toSorted((one, other) => entriesOf(one) - entriesOf(other))) {
    if (found.entries <= fewEntriesWithAll) break;
    found.words.push(word);
    found.entries *= entriesOf(word) / allEntries;
  }
  return found;
}

/** Likely corrections of the word, and likely misspellings of it. */
function variantsOf({ word, similar }: QueryWord): SimilarWord[] {
  return similar
    .filter((variant) => isVariant(word, variant))
    .sort((one, other) => other.similarity - one.similarity)
    .slice(0, maxSimilarWords);
}

function isVariant(word: string, variant: SimilarWord): boolean {
  const maxTypos = word.length < 8 ? 1 : 2;
  return variant.similarity >= 0.5 || editDistance(word, variant.word, maxTypos) <= maxTypos;
}
