/** Which text is printable, and how other text is escaped. */
import { expect, test } from '@jest/globals';
import { constraints } from '../../../generated/constraints.js';
import { escapeUnprintable, isPrintable } from '../../../server/lib/text/printable.js';
import { firstUnprintable, hostileName, unprintable } from '../../helpers/text/unprintable.js';

test('control, bidirectional and zero-width characters and line breaks are escaped', () => {
  expect(unprintable.filter(isPrintable)).toEqual([]);
  expect(firstUnprintable(escapeUnprintable(unprintable.join('')))).toBeUndefined();
  expect(escapeUnprintable('\u001b[2J\n\u009b\u202e')).toBe('\\u001b[2J\\u000a\\u009b\\u202e');
});

test('every character is classified as in the contract', () => {
  const printable = new RegExp(constraints.PrintableText.pattern, 'u');
  const characters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code));
  const differing = characters.filter((one) => isPrintable(one) !== printable.test(one));
  expect(differing).toEqual([]);
});

test.each(['Help desk', 'Zürich – Büro №1', 'مكتب', '日本語', 'दिल्ली', '👍🏽 ❤️', ''])(
  '%j is printable, and stays unchanged',
  (text) => {
    expect(isPrintable(text)).toBe(true);
    expect(escapeUnprintable(text)).toBe(text);
  },
);

test('JSON keeps its value', () => {
  const value = { [hostileName]: `\\${hostileName}"`, all: unprintable.join('') };
  expect(JSON.parse(escapeUnprintable(JSON.stringify(value)))).toEqual(value);
});
