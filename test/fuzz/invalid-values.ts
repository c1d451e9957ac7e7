/** For each keyword of a shape, values that violate it and, where possible, nothing else. */
import fc from 'fast-check';
import { removed } from './edit.js';
import { atLeast, isClosed, type Keyword, type Shape, typesOf, valuesOf } from './schema.js';
import { lengthOf, textOf } from './text.js';
import { valueOf } from './values.js';

export interface InvalidValue {
  keyword: string;
  pointer: string;
  /** The position of the value inside the body or parameter. */
  path: (string | number)[];
  /** The values to set; `removed` deletes the existing value. */
  values: fc.Arbitrary<unknown>;
}

/** Every way to violate the shape, at every depth. */
export function invalidValuesOf(shape: Shape, path: InvalidValue['path'] = []): InvalidValue[] {
  const allowed = typesOf(shape);
  const own = [shape, ...shape.branches.filter(({ type }) => type !== 'null')];
  return [
    ...invalidTypes(shape, allowed, path),
    ...own.flatMap((part) => [
      ...part.keywords.flatMap((keyword) => {
        const invalid = invalidFor(keyword, part);
        return invalid.map((one) => ({
          keyword: keyword.name,
          pointer: keyword.pointer,
          ...one,
          path: [...path, ...one.path],
        }));
      }),
      ...[...part.properties].flatMap(([name, inner]) => invalidValuesOf(inner, [...path, name])),
      ...(part.items ? invalidValuesOf(part.items, [...path, 0]) : []),
    ]),
  ];
}

type Inner = Pick<InvalidValue, 'path' | 'values'>;

function invalidFor({ name, value }: Keyword, shape: Shape): Inner[] {
  const here = (values: fc.Arbitrary<unknown>): Inner[] => [{ path: [], values }];
  const limit = Number(value);
  switch (name) {
    case 'required':
      return (value as string[]).map((field) => ({ path: [field], values: fc.constant(removed) }));
    case 'additionalProperties':
      return isClosed(shape) ? unknownFields(shape) : [];
    case 'enum':
      return here(otherThan(value as unknown[], shape));
    case 'const':
      return here(otherThan([value], shape));
    case 'minLength':
      return limit > 0 ? here(fc.constant('x'.repeat(limit - 1))) : [];
    case 'maxLength':
      return here(tooLong(shape, limit));
    case 'pattern':
      return here(notMatching(new RegExp(String(value), 'u'), shape));
    case 'format':
      return here(misformatted(String(value)));
    case 'minimum':
      return here(fc.constantFrom(limit - 1, limit - 1000, -1e15));
    case 'maximum':
      return here(fc.constantFrom(limit + 1, limit + 1000, 1e15));
    case 'minItems':
      return limit > 0 ? here(fc.constant([])) : [];
    case 'maxItems':
      return here(tooMany(shape, limit));
    case 'uniqueItems':
      return shape.items && value === true
        ? here(valueOf(shape.items).map((item) => [item, item]))
        : [];
    case 'minProperties':
      return limit > 0 ? here(fc.constant({})) : [];
    case 'maxProperties':
      return here(
        fc.constant(Object.fromEntries(Array.from({ length: limit + 1 }, (_, n) => [`k${n}`, n]))),
      );
    case 'type':
      // Handled for the whole union, in invalidTypes.
      return [];
    default:
      throw new Error(`The fuzzer does not know how to violate ${name}.`);
  }
}

const samples: Record<string, readonly unknown[]> = {
  string: ['text', ''],
  integer: [1, 0],
  number: [1.5, -0.5],
  boolean: [true, false],
  null: [null],
  array: [[], [1]],
  object: [{}, { id: 'x' }],
};

function invalidTypes(
  shape: Shape,
  allowed: Set<string>,
  path: InvalidValue['path'],
): InvalidValue[] {
  const [keyword] = [shape, ...shape.branches].flatMap(({ keywords }) =>
    keywords.filter(({ name }) => name === 'type'),
  );
  if (!keyword) return [];
  const wrong = Object.entries(samples).flatMap(([type, values]) => {
    if (allowed.has(type) || (type === 'integer' && allowed.has('number'))) return [];
    return values;
  });
  return [{ keyword: 'type', pointer: keyword.pointer, path, values: fc.constantFrom(...wrong) }];
}

/** Misspelt names, and names that every object inherits. */
function unknownFields({ properties }: Shape): Inner[] {
  const names = [
    'unknown',
    'constructor',
    '__proto__',
    'naïve',
    ...[...properties.keys()].map((name) => name.toUpperCase()),
  ];
  return [
    { path: [names[0] ?? ''], values: fc.constant(1) },
    ...names.slice(1).map((name) => ({ path: [name], values: fc.constant({}) })),
  ];
}

function otherThan(known: unknown[], { type }: Shape): fc.Arbitrary<unknown> {
  const strings = known.filter((value) => typeof value === 'string');
  if (type !== 'string' && strings.length === 0)
    return fc.constantFrom(
      ...Object.values(samples)
        .flat()
        .filter((value) => !known.includes(value)),
    );
  const near = strings.flatMap((text) => [
    `${text}x`,
    text.toUpperCase(),
    text.slice(1),
    `-${text}`,
  ]);
  return fc.constantFrom(
    ...[...near, 'other'].filter((text) => text !== '' && !known.includes(text)),
  );
}

/** A valid text, extended until it is too long. */
function tooLong(shape: Shape, limit: number): fc.Arbitrary<string> {
  return fc
    .tuple(textOf(shape), fc.constantFrom(1, 2, 50))
    .filter(([text]) => text !== '')
    .map(([text, excess]) => {
      const last = Array.from(text).at(-1) ?? 'x';
      return text + last.repeat(limit + excess - lengthOf(text));
    });
}

/** Addresses without a host. */
const hollow = ['https:///x', 'https://?x', 'https://'];

const blanks = [' ', '\n', ' \t\r\n', '\u00a0', '\u3000\u2028'] as const;
/** The pattern of texts that are not blank. A mutated text would almost never violate it. */
const anyVisible = String.raw`\S`;

const intruders = ['\n', ' ', 'é', '😀', '/', '"', '\u200b', '\u0000', 'A', '-', '%'] as const;

/** A valid text with one invalid character, or without its beginning or end. */
function notMatching(pattern: RegExp, shape: Shape): fc.Arbitrary<string> {
  if (pattern.source === anyVisible) return fc.constantFrom(...blanks);
  const least = atLeast(shape, 'minLength', 0);
  const mutated = fc
    .tuple(textOf(shape), fc.constantFrom(...intruders), fc.nat(40), fc.nat(3))
    .map(([text, intruder, at, way]) => {
      const characters = Array.from(text);
      const where = at % (characters.length + 1);
      if (way === 0) return characters.slice(1).join('');
      if (way === 1) return characters.slice(0, -1).join('');
      return [...characters.slice(0, where), intruder, ...characters.slice(where + 1)].join('');
    })
    .filter((text) => !pattern.test(text) && lengthOf(text) >= least);
  const refused = hollow.filter(
    (text) => valuesOf(shape, 'format').includes('uri') && !pattern.test(text),
  );
  return refused.length === 0 ? mutated : fc.oneof(mutated, fc.constantFrom(...refused));
}

function misformatted(format: string): fc.Arbitrary<string> {
  switch (format) {
    case 'date-time':
      return fc.constantFrom(
        '2026-13-01T00:00:00Z',
        '2026-02-30T00:00:00Z',
        '2026-01-01T24:00:00Z',
        '2026-01-01T00:60:00Z',
        '2100-02-29T12:00:00Z',
        '2026-00-10T00:00:00Z',
        '2026-01-00T00:00:00Z',
        '2026-01-01T00:00:61Z',
      );
    case 'uri':
      return fc.constantFrom(
        'https://198.41.0.4/a b',
        'https://198.41.0.4/%zz',
        'https://198.41.0.4/ä',
        'https://198.41.0.4/<x>',
        'https://[::1/',
      );
    default:
      throw new Error(`The fuzzer does not know how to violate the format ${format}.`);
  }
}

function tooMany(shape: Shape, limit: number): fc.Arbitrary<unknown> {
  if (!shape.items) throw new Error('An array without items is not supported.');
  return fc.array(valueOf(shape.items), { minLength: limit + 1, maxLength: limit + 2 });
}
