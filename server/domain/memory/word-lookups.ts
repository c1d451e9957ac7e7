/** Decides which entries of a memory to look at for the words of a search, so that the cost does not grow with the memory. */
import { lowestIdAt, timeOfId } from '../../lib/typeid.js';
import { comparedByDensity, type MemoryLookup, type MemoryScope } from '../../store/memory.js';
import type { SearchPlan, SearchTerm } from './search-plan.js';

export type Lookup = Omit<MemoryLookup, 'words' | 'limit'>;

/** A word in at most this many entries is rare: all its entries are looked up. Of a frequent word, only the newest. */
const maxRareEntries = 2_000;

/** Of a word in at most this many, those since a time are looked up. Of more, too many older ones would have to be left out. */
const maxEntriesSince = 5_000;

/** Of words in more entries, or in a larger share of them, the newest are found sooner by reading than in the index. */
const maxIndexedEntries = 50_000;
const maxIndexedShare = 0.1;

/** How many of the newest entries are scanned; fewer for one user, who may have written none of them. */
export const newestEntries = 5_000;
const newestForUser = 1_000;

/** Entries that contain all words are looked up by the rarest of these, if about so many or fewer contain them. */
const maxEntriesWithAll = 4_000;
const fewEntriesWithAll = 200;

/** Of entries that match equally well the newest are compared, and so many are enough. */
export const enough = (limit: number) => Math.max(limit, comparedByDensity);

/** Words are not spread evenly: it looks at more entries than those that should be enough, by this factor. */
const margin = 1.3;

/**
 * A lookup that is likely to find enough entries with the words that decide. Of a word that is searched for alone it takes the latest,
 * since all match equally well. Of a frequent word that decides beside others it takes the latest and those with all words; older
 * ones with some of the others are left out. Undefined if that would not save much.
 */
export function shortLookup(
  plan: SearchPlan,
  { userId }: MemoryScope,
  limit: number,
): Lookup | undefined {
  if (userId !== undefined) return undefined;
  const wanted = margin * enough(limit);
  const deciding = decidingTerms(plan.terms, wanted);
  if (deciding.length === 0) return undefined;
  const entries = entriesWith(deciding);
  const words = deciding.flatMap((term) => term.words.map(({ word }) => word));
  const share = wanted / entries;
  if (isRare(entries) && (share >= 0.5 || plan.terms.length > 1)) return { anyOf: words };
  if (deciding.length > 1) return undefined;
  const latest = latestWith(words, { entries, share }, plan);
  return latest && { ...latest, allOf: wordsOfAll(plan) };
}

/** The fewest terms that enough entries have, if an entry with any of them is better than one with all others. */
function decidingTerms(terms: readonly SearchTerm[], wanted: number): SearchTerm[] {
  const counts = terms.map((_, index) => index + 1);
  const count = counts.find((many) => {
    const deciding = terms.slice(0, many);
    const least = deciding.flatMap(({ words }) => words.map((word) => word.weight * word.strength));
    const others = terms.slice(many).reduce((sum, { weight }) => sum + weight, 0);
    return entriesWith(deciding) >= wanted && others < Math.min(...least);
  });
  return terms.slice(0, count ?? 0);
}

const entriesWith = (terms: readonly SearchTerm[]) =>
  terms.reduce((sum, { entries }) => sum + entries, 0);

/** The latest of the entries with any of the words: about that share of them. */
function latestWith(
  words: readonly string[],
  { entries, share }: { entries: number; share: number },
  { allEntries, oldest }: SearchPlan,
): Lookup | undefined {
  const newest = Math.ceil(share * allEntries);
  const canCount = newest < newestEntries && isIndexed(entries, allEntries);
  // To count the newest takes less time than to fetch older ones, of which there are some in the partition where the time begins.
  if (canCount && newest <= entries) return { newest, newestWith: words };
  if (entries > maxEntriesSince || oldest === null) return undefined;
  const now = Date.now();
  const since = now - share * (now - timeOfId(oldest).getTime());
  return { anyOf: words, anyOfSince: lowestIdAt('mem', new Date(since)) };
}

const isRare = (entries: number) => entries <= maxRareEntries;

const isIndexed = (entries: number, allEntries: number) =>
  entries <= maxIndexedEntries && entries <= maxIndexedShare * allEntries;

/** Every entry with a rare word, and the newest entries for frequent ones. */
export function firstLookup(plan: SearchPlan, { userId }: MemoryScope): Lookup {
  const { terms, entriesOf, allEntries } = plan;
  const words = plan.words.map(({ word }) => word);
  const rare = words.filter((word) => isRare(entriesOf(word)));
  const newest = userId === undefined ? newestEntries : newestForUser;
  const lookUpAll = userId === undefined && !terms.some(({ word }) => isRare(entriesOf(word)));
  return {
    newest: rare.length < words.length ? newest : 0,
    ...(isIndexed(entriesWith(terms), allEntries) ? { newestWith: words } : {}),
    anyOf: rare,
    allOf: lookUpAll ? wordsOfAll(plan) : [],
  };
}

/**
 * The rarest words, as many as it takes until few entries are likely to contain all of them. To find those that contain further
 * ones too would take longer, since the index has the more entries of a word the more frequent it is. None if very many do.
 */
function wordsOfAll({ terms, entriesOf, allEntries }: SearchPlan): string[] {
  if (terms.length < 2) return [];
  const words = terms.map(({ word }) => word);
  const rarest: string[] = [];
  let entries = allEntries;
  for (const word of words.toSorted((one, other) => entriesOf(one) - entriesOf(other))) {
    if (entries <= fewEntriesWithAll) break;
    rarest.push(word);
    entries *= entriesOf(word) / allEntries;
  }
  return entries <= maxEntriesWithAll ? rarest : [];
}
