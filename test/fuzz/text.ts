/** Strings that satisfy a shape: in any script, at the length limits, by pattern and by format. */
import fc from 'fast-check';
import { atLeast, atMost, type Shape, valuesOf } from './schema.js';

/** Used where the contract sets no limit, as for additional property names. */
const defaultMaxLength = 100;

/** Words that differ in every inflected or misspelt form, so that a search finds exactly the expected ones. */
export const vocabulary = ['lantern', 'pumpkin', 'harbour', 'quartz', 'velvet', 'mosaic'] as const;

/** Few enough to occur repeatedly, as user and session ids do. */
const names = ['ada', 'Zoë', '名前', 'e\u0301', '👩🏽‍🚀'] as const;

/** Characters that are long in one encoding and short in another, or that normalisation would change. */
const heavy = ['a', 'é', 'e\u0301', '\u{1F600}', '\u{10FFFF}', 'ﬁ', 'İ', '\u0300'] as const;

/** Every character except NUL and unpaired surrogates. */
export const anyCharacter = fc
  .integer({ min: 1, max: 0x10_ffff - 0x800 })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800));

/** Public IP addresses, so that no DNS lookup happens; nothing is ever sent to them. */
const hosts = ['198.41.0.4', '[2001:503:ba3e::2:30]', '198.41.0.4:8443'] as const;

export function textOf(shape: Shape): fc.Arbitrary<string> {
  const patterns = valuesOf<string>(shape, 'pattern').map((pattern) => new RegExp(pattern, 'u'));
  const minLength = atLeast(shape, 'minLength', 0);
  const maxLength = atMost(shape, 'maxLength', Infinity);
  const isValid = (text: string) =>
    lengthOf(text) >= minLength &&
    lengthOf(text) <= maxLength &&
    patterns.every((pattern) => pattern.test(text));
  const [format] = valuesOf<string>(shape, 'format');
  const structured = patterns.find((pattern) => !heavy.every((text) => pattern.test(text)));
  if (format !== undefined) return formatted(format, maxLength).filter(isValid);
  if (structured) return matching(structured).filter(isValid);
  return freeText(minLength, Math.min(maxLength, 1_000_000)).filter(isValid);
}

/** In characters as JSON Schema counts them, not in UTF-16 code units. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}

function freeText(minLength: number, declared: number): fc.Arbitrary<string> {
  const maxLength = Number.isFinite(declared) ? declared : defaultMaxLength;
  const short = Math.min(maxLength, 12);
  const characters = fc.oneof(
    fc.string({ unit: anyCharacter, minLength, maxLength: short }),
    fc.string({ unit: 'grapheme-ascii', minLength, maxLength: short }),
    fc.string({ unit: fc.constantFrom(...heavy), minLength, maxLength: short }),
  );
  const familiar =
    maxLength >= 1000
      ? fc
          .array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 3 })
          .map((words) => words.join(' '))
      : fc.constantFrom(...names);
  return fc.oneof(
    { weight: 6, arbitrary: characters },
    { weight: 6, arbitrary: familiar },
    { weight: 1, arbitrary: atLimit(minLength, maxLength) },
  );
}

/** At the maximum length, in characters of one and of two code units. */
function atLimit(minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom('a', '\u{1F600}', 'é'), fc.constantFrom(minLength, maxLength))
    .map(([unit, length]) => unit.repeat(length));
}

/** Cached, because compiling a pattern takes far longer than generating a text. */
const matchers = new Map<string, fc.Arbitrary<string>>();

function matching(pattern: RegExp): fc.Arbitrary<string> {
  const known = matchers.get(pattern.source);
  if (known) return known;
  // Surrounding white space is not part of a header value.
  const made = fc.stringMatching(pattern).filter((text) => text.trim() === text);
  matchers.set(pattern.source, made);
  return made;
}

function formatted(format: string, maxLength: number): fc.Arbitrary<string> {
  switch (format) {
    case 'date-time':
      return fc.oneof(
        fc.tuple(nearNow, fraction, fc.constant('Z')).map(written),
        fc.tuple(anyTime, fraction, offset).map(written),
      );
    case 'uri':
      return fc
        .tuple(fc.constantFrom(...hosts), uriPath(maxLength))
        .map(([host, path]) => `https://${host}/${path}`.slice(0, maxLength));
    default:
      throw new Error(`The fuzzer makes no strings of the format ${format}.`);
  }
}

const anyTime = fc.date({
  min: new Date('1970-01-02T00:00:00Z'),
  max: new Date('9998-12-31T23:59:59Z'),
  noInvalidDate: true,
});

/** Within two days of now, on whole hours, where ranges and expiry are decided. */
const nearNow = fc
  .integer({ min: -48, max: 48 })
  .map((hours) => new Date(Math.floor(Date.now() / 3_600_000 + hours) * 3_600_000));

const fraction = fc.oneof(
  fc.constant(''),
  fc.stringMatching(/^\.[0-9]{1,9}$/),
  fc.constantFrom('.000', '.999999999'),
);

const offset = fc.constantFrom('Z', 'Z', '+00:00', '-00:00', '+05:45', '-11:30', '+14:00');

/** Any moment will do, so the offset does not change the clock time. */
function written([date, digits, zone]: [Date, string, string]): string {
  return `${date.toISOString().slice(0, 19)}${digits}${zone}`;
}

function uriPath(maxLength: number): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.webPath({ size: 'small' }).map((path) => path.slice(1)) },
    { weight: 4, arbitrary: fc.stringMatching(/^[a-z0-9]{1,12}\?[a-z]{1,5}=%[0-9A-F]{2}$/) },
    { weight: 1, arbitrary: fc.constant('x'.repeat(maxLength)) },
  );
}
