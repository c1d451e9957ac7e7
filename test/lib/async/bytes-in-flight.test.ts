/** The memory for texts: an account leaves as much free as it holds. */
import { expect, test } from '@jest/globals';
import { BytesInFlight } from '../../../server/lib/async/bytes-in-flight.js';

test('one account gets half, and another one half of the rest', () => {
  const bytes = new BytesInFlight(1_000);
  const [first, second] = [bytes.open('a'), bytes.open('a')];
  expect(first.grow(300)).toBe(true);
  expect(second.grow(200)).toBe(true);
  expect(second.grow(1)).toBe(false);
  const other = bytes.open('b');
  expect(other.grow(251)).toBe(false);
  expect(other.grow(250)).toBe(true);
});

test('a released reservation frees all of its bytes, once', () => {
  const bytes = new BytesInFlight(1_000);
  const first = bytes.open('a');
  first.grow(200);
  first.grow(300);
  first.release();
  first.release();
  const second = bytes.open('a');
  expect(second.grow(501)).toBe(false);
  expect(second.grow(500)).toBe(true);
});

test('an account could hold half, however much is held now', () => {
  const bytes = new BytesInFlight(1_000);
  bytes.open('a').grow(400);
  expect(bytes.couldHold(500)).toBe(true);
  expect(bytes.couldHold(501)).toBe(false);
});
