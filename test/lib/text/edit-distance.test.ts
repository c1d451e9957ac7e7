/** The edit distance between two words. */
import { expect, test } from '@jest/globals';
import { editDistance } from '../../../server/lib/text/edit-distance.js';

test.each([
  ['', '', 0],
  ['word', 'word', 0],
  ['', 'abc', 3],
  ['abc', '', 3],
  ['delivry', 'delivery', 1],
  ['seperate', 'separate', 1],
  ['recieve', 'receive', 1],
  ['zucchinni', 'zucchini', 1],
  ['kitten', 'sitting', 3],
  ['naïve', 'naive', 1],
  ['ab', 'ba', 1],
  ['order', 'border', 1],
])('%j and %j differ by %d', (one, other, distance) => {
  expect(editDistance(one, other)).toBe(distance);
  expect(editDistance(other, one)).toBe(distance);
});

test('is Infinity above a limit, and the same within it', () => {
  const words = ['', 'ab', 'ba', 'acb', 'order', 'border', 'roder', 'kitten', 'sitting', 'kittne'];
  for (const one of words) {
    for (const other of words) {
      const distance = editDistance(one, other);
      for (const limit of [0, 1, 2, 3]) {
        const expected = distance > limit ? Infinity : distance;
        expect(editDistance(one, other, limit)).toBe(expected);
      }
    }
  }
});
