import { expect, test } from '@jest/globals';
import { retryAfterMs } from '../../../server/lib/net/retry-after.js';

const now = Date.parse('2026-11-02T09:30:00Z');

test.each([
  [{ 'retry-after': '7' }, 7_000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Mon, 02 Nov 2026 09:30:12 GMT' }, 12_000],
  [{ 'retry-after': 'Mon, 02 Nov 2026 09:29:00 GMT' }, 0],
  [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-5' }, undefined],
  [{}, undefined],
])('%j means %p ms', (headers, expected) => {
  expect(retryAfterMs(headers, now)).toBe(expected);
});
