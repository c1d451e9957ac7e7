/** Searches a memory by words: decides which ones, how much each counts, and where to look them up. */
import { editDistance } from '../lib/edit-distance.js';
import {
  type MemoryLookup,
  rankByText,
  rankByWords,
  type Ranking,
  type WantedWord,
} from '../store/memory-ranking.js';
import type { MemoryScope } from '../store/memory-scope.js';
import { type QueryWord, type SimilarWord, understandQuery } from '../store/memory-words.js';
import type { Sql } from '../store/sql.js';

/** Of a long query the longest words count. */
const maxQueryWords = 10;

const maxSimilarWords = 5;

/** Entries with a rare word are all looked at; of the others, those among the newest. */
const rareEntries = 2_000;

/** Entries with several words that are not rare are looked up together while the rarest is in no more than this. */
const commonEntries = 50_000;

/** How many of the newest entries are looked through. */
const newestEntries = 5_000;

export async function searchWords(
  sql: Sql,
  scope: MemoryScope,
  query: string,
  limit: number,
): Promise<Ranking> {
  const found = await understandQuery(sql, scope.agentId, query, maxQueryWords);
  if (found.length === 0) return rankByText(sql, scope, query, { newest: newestEntries, limit });
  const plan = planSearch(found);
  if (scope.sessionId !== undefined) {
    const whole = { words: plan.words, newest: newestEntries, anyOf: [], allOf: [], limit };
    return rankByWords(sql, scope, whole);
  }
  const first = { ...firstLookup(plan), limit };
  const ranking = await rankByWords(sql, scope, first);
  if (ranking.matches.length === limit || first.newest === 0) return ranking;
  return rankByWords(sql, scope, { ...secondLookup(plan), limit });
}

interface SearchPlan {
  /** The words of the query. */
  terms: string[];
  /** These, and what is similar. */
  words: WantedWord[];
  /** In how many entries each word is; one that is not known is taken for rare. */
  entries: Map<string, number>;
}

function planSearch(found: QueryWord[]): SearchPlan {
  const terms = found.map((queried) => ({ ...queried, similar: variantsOf(queried) }));
  const weights = terms.map(({ entries }) => 1 / Math.log(Math.E + (entries ?? 0)));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return {
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
function firstLookup({ words, entries, terms }: SearchPlan): Omit<MemoryLookup, 'limit'> {
  const isRare = (word: string) => (entries.get(word) ?? 0) <= rareEntries;
  const frequent = words.filter(({ word }) => !isRare(word));
  const rarest = Math.min(...terms.map((word) => entries.get(word) ?? 0));
  const isWorthwhile = terms.length > 1 && rarest > rareEntries && rarest <= commonEntries;
  return {
    words,
    newest: frequent.length > 0 ? newestEntries : 0,
    anyOf: words.map(({ word }) => word).filter(isRare),
    allOf: isWorthwhile ? terms : [],
  };
}

/** Where to look if that found too little: a word was frequent once, or is rare in what the filter lets through. */
function secondLookup({ words }: SearchPlan): Omit<MemoryLookup, 'limit'> {
  return { words, newest: 0, anyOf: words.map(({ word }) => word), allOf: [] };
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
