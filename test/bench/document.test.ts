/** Where the tables of a benchmark go in the documentation. */
import { expect, test } from '@jest/globals';
import { withSection } from '../../scripts/bench/lib/document.js';

const text =
  'A\n\n<!-- bench a -->\n\nold\n\n<!-- end -->\n\nB\n\n<!-- bench b -->\n\n<!-- end -->\n';

test('they replace those of the last run, and nothing else', () => {
  expect(withSection(text, 'a', 'new')).toBe(text.replace('old', 'new'));
});

test('a benchmark without a place is left out', () => {
  expect(withSection(text, 'c', 'new')).toBe(text);
});
