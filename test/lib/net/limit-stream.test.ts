import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { limitStream, ResponseTooLarge } from '../../../server/lib/net/limit-stream.js';

const limits = { bytes: 1_000, lines: 20, eventBytes: 100, eventValues: 5, pieceBytes: 16 };

async function pass(text: string, { isEventStream = true, sizes = [] as number[] } = {}) {
  async function* chunks() {
    const bytes = Buffer.from(text);
    let start = 0;
    for (const size of [...sizes, bytes.length]) {
      yield await Promise.resolve(bytes.subarray(start, start + size));
      start += size;
    }
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of limitStream(chunks(), limits, { isEventStream })) pieces.push(piece);
  return pieces;
}

test('passes on its input in chunks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ maxLength: 80 }), fc.array(fc.nat(20)), async (text, sizes) => {
      const ascii = text.replaceAll(/[^ -z]|[[,{"]/g, 'x');
      const pieces = await pass(ascii, { sizes });
      expect(Buffer.concat(pieces).toString()).toBe(ascii);
      expect(Math.max(0, ...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(16);
    }),
  );
});

describe('refuses', () => {
  test.each([
    ['too many bytes', 'data: x\n\n'.repeat(10) + `${'x'.repeat(90)}\n\n`.repeat(10)],
    ['too many blank lines', '\n'.repeat(21)],
    ['too many carriage returns', '\r'.repeat(21)],
    ['too many line ends of two characters', '\r\n'.repeat(21)],
    ['an event that is too long', `data: ${'x'.repeat(101)}`],
    ['an event of many lines that is too long', 'data: xxxxxxxxxxxx\n'.repeat(7)],
    ['an event of too many objects', `data: [${'{},'.repeat(6)}]`],
    ['too many values after a quote on another line', `: "\ndata: [${'0,'.repeat(6)}]`],
    ['too many values after an escaped quote', String.raw`data: ["\"",0,0,0,0,0,0]`],
    ['too many values after an escaped backslash', String.raw`data: ["\\",0,0,0,0,0,0]`],
  ])('%s', async (_, text) => {
    await expect(pass(text)).rejects.toBeInstanceOf(ResponseTooLarge);
  });

  test('too many values in a body with blank lines', async () => {
    const body = '[0,0,0,\n\n0,0,0,0]';
    await expect(pass(body, { isEventStream: false })).rejects.toBeInstanceOf(ResponseTooLarge);
  });
});

test.each([
  ['many small events', 'data: [0,0,0]\n\n'.repeat(6)],
  ['line ends of two characters', 'data: x\r\n\r\n'.repeat(10)],
  ['text with commas and braces', String.raw`data: {"text":",,,,,,{{{{{{[[[[[[\",,,,,,,"}`],
])('allows %s', async (_, text) => {
  expect(Buffer.concat(await pass(text)).toString()).toBe(text);
});
