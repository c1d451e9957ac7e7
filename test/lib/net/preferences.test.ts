/** Parsing of the Prefer header. */
import { expect, test } from '@jest/globals';
import { parsePreferences } from '../../../server/lib/net/preferences.js';
import { processorMs } from '../../helpers/programs/processor-time.js';

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

test('takes linear time', () => {
  // From any comma, the quote that follows is never closed.
  const header = ',a\\"'.repeat(500_000);
  // A quadratic parser takes minutes.
  expect(processorMs(() => parsePreferences(header))).toBeLessThan(10_000);
});
