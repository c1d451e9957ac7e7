/** Understands the words of a search: which other words they may stand for, how rare they are, and what each is worth. */
import { editDistance } from '../../lib/edit-distance.js';
import type { SearchWord } from '../../store/memory.js';
import type { QueryWord, SimilarWord } from '../../store/memory-words.js';

/** A word of the query, and the words that are similar to it. */
export interface SearchTerm {
  /** As memory has it: if nobody has written it, the most similar word that somebody has. */
  word: string;
  words: SearchWord[];
  /** The number of entries with any of its words, at most. */
  entries: number;
  /** The weights of all terms add up to 1. */
  weight: number;
}

export interface SearchPlan {
  /** Those that weigh most first. */
  terms: SearchTerm[];
  words: SearchWord[];
  /** The number of entries with a word. An unknown word counts as rare. */
  entriesOf: (word: string) => number;
  allEntries: number;
  /** The id of the oldest entry. */
  oldest: string | null;
}

const maxSimilarWords = 5;

export function planSearch(found: readonly QueryWord[]): SearchPlan {
  const allEntries = found[0]?.allEntries ?? 0;
  const variants = found.map(variantsOf);
  // Inverse document frequency: the rarer a word, the more it counts.
  const weights = variants.map((all) => Math.log(2 + allEntries / (1 + frequencyOf(all))));
  const sum = sumOf(weights);
  const terms = variants.map((all, term): SearchTerm => {
    const weight = (weights[term] ?? 0) / sum;
    const known = all.find(({ entries }) => entries > 0) ?? all[0];
    return {
      word: known.word,
      words: all.map(({ word, strength }) => ({ term, word, strength, weight })),
      entries: sumOf(all.map(({ entries }) => entries)),
      weight,
    };
  });
  const counts = new Map(variants.flat().map(({ word, entries }) => [word, entries]));
  return {
    terms: terms.toSorted((one, other) => other.weight - one.weight),
    words: terms.flatMap(({ words }) => words),
    entriesOf: (word) => counts.get(word) ?? 0,
    allEntries,
    oldest: found[0]?.oldest ?? null,
  };
}

/** A word of the query as it is, or another that it may stand for. */
interface Variant {
  word: string;
  strength: number;
  entries: number;
}

/** The word itself first; then likely corrections of it, and likely misspellings, the most similar first. */
function variantsOf({ word, entries, similar }: QueryWord): [Variant, ...Variant[]] {
  const others = similar
    .filter((other) => isVariant(word, other))
    .sort((one, other) => other.similarity - one.similarity)
    .slice(0, maxSimilarWords)
    .map((other) => ({
      word: other.word,
      strength: 0.4 + other.similarity / 2,
      entries: other.entries ?? 0,
    }));
  return [{ word, strength: 1, entries: entries ?? 0 }, ...others];
}

function isVariant(word: string, variant: SimilarWord): boolean {
  const maxTypos = word.length < 8 ? 1 : 2;
  return variant.similarity >= 0.5 || editDistance(word, variant.word, maxTypos) <= maxTypos;
}

/** A word that nobody has written is misspelt, and as frequent as what it may stand for. */
function frequencyOf([exact, ...others]: [Variant, ...Variant[]]): number {
  return exact.entries > 0 ? exact.entries : sumOf(others.map(({ entries }) => entries));
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
