/** What entries are worth that have some of the words of a search. */
import { expect, test } from '@jest/globals';
import { queryOf, type SearchWord, stepsOf } from '../../server/store/search-words.js';

const words: SearchWord[] = [
  { term: 0, word: 'order', strength: 1, weight: 0.25 },
  { term: 0, word: 'ordre', strength: 0.5, weight: 0.25 },
  { term: 0, word: 'older', strength: 0.5, weight: 0.25 },
  { term: 1, word: "d'or", strength: 1, weight: 0.75 },
];

/** As PostgreSQL adds it up. */
function coverage(...had: string[]): number {
  const matched = stepsOf(words).filter(({ query }) =>
    had.some((word) => query.split(' | ').includes(`'${word}'`)),
  );
  return matched.reduce((sum, { worth }) => sum + worth, 0);
}

test.each<[string[], number]>([
  [['order'], 0.25],
  [['ordre'], 0.125],
  [['older', 'ordre'], 0.125],
  [['order', 'older', 'ordre'], 0.25],
  [['ordre', "d''or"], 0.875],
  [['order', "d''or"], 1],
  [['walrus'], 0],
])('%j: the best word of each term counts', (had, expected) => {
  expect(coverage(...had)).toBe(expected);
});

test('words are quoted, whatever they contain', () => {
  const word = (text: string) => ({ term: 0, word: text, strength: 1, weight: 1 });
  expect(queryOf([word("it's"), word(String.raw`a\b`)])).toBe(String.raw`'it''s' | 'a\\b'`);
});
