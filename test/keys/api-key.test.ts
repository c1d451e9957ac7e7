import { crc32 } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { generateApiKey, isWellFormedApiKey, previewApiKey } from '../../server/keys/api-key.js';

test('a key is a prefix, 40 random characters and a checksum', () => {
  const key = generateApiKey();
  expect(key).toMatch(/^ahs_[0-9A-Za-z]{46}$/);
  expect(isWellFormedApiKey(key)).toBe(true);
});

test('the checksum is the CRC32 of everything before it, in base62', () => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const key = generateApiKey();
  const value = Array.from(key.slice(-6)).reduce(
    (sum, digit) => sum * 62 + digits.indexOf(digit),
    0,
  );
  expect(value).toBe(crc32(key.slice(0, -6)));
});

test('keys differ, and use every character about equally often', () => {
  const keys = Array.from({ length: 2_000 }, generateApiKey);
  expect(new Set(keys).size).toBe(keys.length);
  const counts = new Map<string, number>();
  for (const character of keys.flatMap((key) => Array.from(key.slice(4, 44)))) {
    counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  expect(counts.size).toBe(62);
  // Each is expected 1290 times, with a standard deviation of 36. Plain `% 62` would bring eight of them to 1560.
  for (const count of counts.values()) {
    expect(count).toBeGreaterThan(1290 - 6 * 36);
    expect(count).toBeLessThan(1290 + 6 * 36);
  }
});

test('one wrong character in any position is detected', () => {
  const key = generateApiKey();
  for (let position = 0; position < key.length; position += 1) {
    const wrong = key.charAt(position) === 'x' ? 'y' : 'x';
    const mistyped = key.slice(0, position) + wrong + key.slice(position + 1);
    expect(isWellFormedApiKey(mistyped)).toBe(false);
  }
});

test.each([
  '',
  'ahs_',
  'ahs_short',
  generateApiKey().slice(0, -1),
  `${generateApiKey()}0`,
  'x'.repeat(50),
])('%j is not a key', (text) => {
  expect(isWellFormedApiKey(text)).toBe(false);
});

test('a preview shows only the last four characters', () => {
  const key = generateApiKey();
  expect(previewApiKey(key)).toBe(`ahs_…${key.slice(-4)}`);
});
