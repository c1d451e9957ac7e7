/** Times of whole minutes are written as Date writes them. */
import { expect, test } from '@jest/globals';
import { createMinuteFormat } from '../../server/lib/minute-format.js';

test.each([
  '1969-12-31T23:59:00.000Z',
  '1970-01-01T00:00:00.000Z',
  '2024-02-29T12:34:00.000Z',
  '9999-12-31T23:55:00.000Z',
  '+010000-01-01T00:00:00.000Z',
  '-000001-01-01T00:07:00.000Z',
])('%s', (text) => {
  expect(createMinuteFormat()(Date.parse(text))).toBe(text);
});

test('one after another, forwards and backwards over the ends of days', () => {
  const format = createMinuteFormat();
  const times = Array.from({ length: 3_000 }, (_, n) => n * 60_000 * 7);
  const ofDate = (time: number) => new Date(time).toISOString();
  expect(times.map(format)).toEqual(times.map(ofDate));
  expect(times.toReversed().map(format)).toEqual(times.toReversed().map(ofDate));
});
