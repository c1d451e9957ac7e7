/** The words of a search as text queries of PostgreSQL, and what a match with them is worth. */

/** A word to search for. Words with the same `term` are variants of one word of the query; the best match counts. */
export interface SearchWord {
  term: number;
  word: string;
  /** The quality of the variant, from 0 to 1. */
  strength: number;
  /** The weight of its term; the weights of all terms add up to 1. */
  weight: number;
}

/** A part of the coverage: entries that match the query have it. */
export interface Step {
  query: string;
  worth: number;
}

/**
 * Of the words of a term the best that matches counts. A step is by how much a word is worth more than the next best, and
 * matches with every word that is at least as good: so the steps of an entry add up to its coverage.
 */
export function stepsOf(words: readonly SearchWord[]): Step[] {
  const ascendingWords = words.toSorted((one, other) => one.strength - other.strength);
  return [...new Set(words.map(({ term }) => term))].flatMap((term) => {
    const ascending = ascendingWords.filter((word) => word.term === term);
    return ascending.map(({ strength, weight }, index) => ({
      query: queryOf(ascending.slice(index)),
      worth: weight * (strength - (ascending[index - 1]?.strength ?? 0)),
    }));
  });
}

/** Matches with any of the words, which are lexemes already: quoted, they are not normalised once more. */
export const queryOf = (words: readonly SearchWord[]) =>
  words.map(({ word }) => `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`).join(' | ');
