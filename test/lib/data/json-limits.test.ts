/** Limits on foreign JSON: size, depth and number of members. */
import { describe, expect, test } from '@jest/globals';
import { exceededLimit } from '../../../server/lib/data/json-limits.js';

const limits = { bytes: 100, depth: 3, members: 5 };

describe('a value', () => {
  test.each<[string, object]>([
    ['that is empty', {}],
    ['as deep as is allowed', { a: { b: [1] } }],
    ['with as many members as are allowed', [1, 2, 3, 4, 5]],
    ['as long as is allowed', ['x'.repeat(96)]],
    ['with null', { a: null }],
  ])('%s is accepted', (_, value) => {
    expect(exceededLimit(value, limits)).toBeUndefined();
  });

  test.each<[string, object, string]>([
    ['that is too deep', { a: { b: [{}] } }, 'is nested more than 3 levels deep'],
    [
      'with too many members',
      { a: [1, 2], b: { c: 1, d: 1 } },
      'has more than 5 properties and items',
    ],
    ['that is too long', ['ä'.repeat(49)], 'has 102 bytes, more than the limit of 100'],
  ])('%s is not', (_, value, excess) => {
    expect(exceededLimit(value, limits)).toBe(excess);
  });

  test('of any depth is measured without an error', () => {
    const value = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000)) as object;
    expect(exceededLimit(value, limits)).toBe('is nested more than 3 levels deep');
  });
});
