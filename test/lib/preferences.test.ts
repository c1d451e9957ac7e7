/** Preferences as clients write them. */
import { expect, test } from '@jest/globals';
import { parsePreferences } from '../../server/lib/preferences.js';

test.each([
  [undefined, {}],
  ['', {}],
  ['respond-async', { 'respond-async': '' }],
  ['Respond-Async, wait=10', { 'respond-async': '', wait: '10' }],
  ['wait = 10 ; x=1,respond-async', { wait: '10', 'respond-async': '' }],
  ['foo="respond-async, wait=5", wait=7', { foo: 'respond-async, wait=5', wait: '7' }],
  ['respond-async;x="a,wait=3"', { 'respond-async': '' }],
  ['wait=1, wait=2', { wait: '1' }],
  ['wait="30"', { wait: '30' }],
  [', ,=;"', {}],
  ['wait=1, a="b, wait=2', { wait: '1', a: '' }],
])('%s', (header, expected) => {
  expect(Object.fromEntries(parsePreferences(header))).toEqual(expected);
});

test('takes time in proportion to its length', () => {
  // Read from any comma, the quote that follows is never closed.
  const timeOf = (length: number) => {
    const header = ',a\\"'.repeat(length / 4);
    const startedAt = performance.now();
    parsePreferences(header);
    return performance.now() - startedAt;
  };
  timeOf(4_000);
  // Quadratic, it took seconds.
  expect(timeOf(200_000)).toBeLessThan(200);
});
