/** The number of values in a JSON text, counted before it is parsed. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countValues } from '../../server/http/transport/json-size.js';

/** Every value and every key; an empty array or object counts as if it held one. */
function valuesOf(value: unknown): number {
  if (Array.isArray(value)) {
    return (
      1 + value.reduce((sum: number, item) => sum + valuesOf(item), value.length === 0 ? 1 : 0)
    );
  }
  if (typeof value !== 'object' || value === null) return 1;
  const entries = Object.entries(value);
  if (entries.length === 0) return 2;
  return 1 + entries.reduce((sum, [, inner]) => sum + 1 + valuesOf(inner), 0);
}

const text = fc.string({
  unit: fc.constantFrom('a', '"', '\\', ',', ':', '[', '{', '😀', '\n'),
  maxLength: 300,
});

test('equals that of the parsed value, whatever its strings contain', () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, text, fc.integer(), tie('array'), tie('object')),
    array: fc.array(tie('value'), { maxLength: 5 }),
    object: fc.dictionary(text, tie('value'), { maxKeys: 5 }),
  }));
  fc.assert(
    fc.property(value, (json) => {
      expect(countValues(Buffer.from(JSON.stringify(json)))).toBe(valuesOf(json));
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['an unterminated string', `"${'a'.repeat(100)}`],
  ['a string that ends with an escape', `"${'a'.repeat(100)}\\`],
  ['nothing', ''],
])('terminates for %s', (_, json) => {
  expect(countValues(Buffer.from(json))).toBe(1);
});
