/** Searches a memory by words: decides which ones, how much each counts, and where to look them up. */
import { editDistance } from './edit-distance.js';
import {
  type MemoryLookup,
  type MemoryScope,
  rankByText,
  rankByWords,
  type Ranking,
  type WantedWord,
} from '../../store/memory.js';
import { type QueryWord, type SimilarWord, parseQuery } from '../../store/memory-words.js';
import type { Database } from '../../store/database.js';

/** Of a long query the longest words count. */
const maxQueryWords = 10;

const maxSimilarWords = 5;

/** Entries with a word that is in no more than these are all looked at; of the others, those among the newest. */
const rareEntries = 2_000;

/** How many of the newest entries are looked through; fewer for one user, of whom there may be nothing among them. */
const newestEntries = 5_000;
const newestForUser = 1_000;

/** Entries with all words at once are looked up if there are no more than about these. */
const entriesWithAll = 4_000;

export async function searchWords(
  database: Database,
  scope: MemoryScope,
  query: string,
  limit: number,
): Promise<Ranking> {
  const found = await parseQuery(database, scope.agentId, query, maxQueryWords);
  if (found.length === 0)
    return rankByText(database, scope, query, { newest: newestEntries, limit });
  const plan = planSearch(found);
  if (scope.sessionId !== undefined) {
    const whole = { words: plan.words, newest: newestEntries, anyOf: [], allOf: [], limit };
    return rankByWords(database, scope, whole);
  }
  const first = firstLookup(plan, scope);
  const ranking = await rankByWords(database, scope, { ...first, limit });
  if (ranking.matches.length === limit || first.newest === 0) return ranking;
  // Too little: a word was frequent once, or it is rare in what the filter lets through.
  const everywhere = { ...first, anyOf: plan.words.map(({ word }) => word), limit };
  return rankByWords(database, scope, everywhere);
}

interface SearchPlan {
  /** The words of the query. */
  terms: string[];
  /** These, and what is similar. */
  words: WantedWord[];
  /** In how many entries each word is; one that is not known is taken for rare. */
  entries: Map<string, number>;
  allEntries: number;
}

function planSearch(found: QueryWord[]): SearchPlan {
  const terms = found.map((queried) => ({ ...queried, similar: variantsOf(queried) }));
  const allEntries = found[0]?.allEntries ?? 0;
  // The rarer a word is, the more it says.
  const weights = terms.map(({ entries }) => Math.log(2 + allEntries / (1 + (entries ?? 0))));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return {
    allEntries,
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

/** Where to look first: it finds all there is of rare words, and the latest of frequent ones. */
function firstLookup(
  { words, entries, terms, allEntries }: SearchPlan,
  { userId }: MemoryScope,
): Omit<MemoryLookup, 'limit'> {
  const entriesOf = (word: string) => entries.get(word) ?? 0;
  const isRare = (word: string) => entriesOf(word) <= rareEntries;
  const hasFrequent = words.some(({ word }) => !isRare(word));
  const withAll = terms.reduce((rest, word) => (rest * entriesOf(word)) / allEntries, allEntries);
  const areWorthLookingUp =
    userId === undefined && !terms.some(isRare) && terms.length > 1 && withAll <= entriesWithAll;
  const newest = userId === undefined ? newestEntries : newestForUser;
  return {
    words,
    newest: hasFrequent ? newest : 0,
    anyOf: words.map(({ word }) => word).filter(isRare),
    allOf: areWorthLookingUp ? terms : [],
  };
}

/** What the word was probably meant to be, or is elsewhere misspelt as. */
function variantsOf({ word, similar }: QueryWord): SimilarWord[] {
  return similar
    .filter((variant) => isVariant(word, variant))
    .sort((one, other) => other.similarity - one.similarity)
    .slice(0, maxSimilarWords);
}

function isVariant(word: string, variant: SimilarWord): boolean {
  const mistakes = word.length < 8 ? 1 : 2;
  return variant.similarity >= 0.5 || editDistance(word, variant.word) <= mistakes;
}
