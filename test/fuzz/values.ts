/** Values that satisfy a shape: optional fields present and absent, limits hit exactly, nulls where allowed. */
import fc from 'fast-check';
import { kindOf, referenceTo } from './reference.js';
import { atLeast, atMost, isClosed, type Shape, valuesOf } from './schema.js';
import { anyCharacter, textOf } from './text.js';

/** Restricts values to those that the service under test can run, and to those that occur repeatedly. */
const usable: Record<string, readonly unknown[] | undefined> = {
  model: ['builtin/echo'],
  environment: ['production', 'staging', 'draft'],
};

/** Values of a field or parameter. The name decides whether it refers to an existing resource. */
export function valueOf(shape: Shape, field = ''): fc.Arbitrary<unknown> {
  const own = withExamples(shape, field);
  const kind = kindOf(field);
  return kind === undefined ? own : withNull(shape, referenceTo(kind, own));
}

function withNull(shape: Shape, arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const hasNull = shape.branches.some(({ type }) => type === 'null');
  return hasNull
    ? fc.oneof({ weight: 3, arbitrary }, { weight: 1, arbitrary: fc.constant(null) })
    : arbitrary;
}

function withExamples(shape: Shape, field: string): fc.Arbitrary<unknown> {
  const own = plainValueOf(shape);
  const preferred = usable[field];
  // A host name would be looked up.
  const isAddress = valuesOf(shape, 'format').includes('uri');
  const known = isAddress ? [] : [...shape.examples, ...(preferred ?? [])];
  return known.length === 0
    ? own
    : fc.oneof(
        { weight: 3, arbitrary: own },
        { weight: preferred ? 6 : 1, arbitrary: fc.constantFrom(...known) },
      );
}

function plainValueOf(shape: Shape): fc.Arbitrary<unknown> {
  const [constant] = valuesOf(shape, 'const');
  if (constant !== undefined) return fc.constant(constant);
  const [listed] = valuesOf<unknown[]>(shape, 'enum');
  if (listed) return fc.constantFrom(...listed);
  if (shape.branches.length > 0) return fc.oneof(...shape.branches.map((one) => valueOf(one)));
  switch (shape.type) {
    case 'string':
      return textOf(shape);
    case 'integer':
      return integerOf(shape);
    case 'number':
      return numberOf(shape);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return arrayOf(shape);
    case 'object':
      return objectOf(shape);
    default:
      throw new Error(`The fuzzer makes no values of the type ${String(shape.type)}.`);
  }
}

function limitsOf(shape: Shape): { min: number; max: number } {
  if (valuesOf(shape, 'multipleOf').length > 0) throw new Error('multipleOf is not supported.');
  return {
    min: atLeast(shape, 'minimum', Number.MIN_SAFE_INTEGER),
    max: atMost(shape, 'maximum', Number.MAX_SAFE_INTEGER),
  };
}

function integerOf(shape: Shape): fc.Arbitrary<number> {
  const { min, max } = limitsOf(shape);
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(min, max) },
    { weight: 4, arbitrary: fc.integer({ min, max: Math.min(max, min + 8) }) },
    { weight: 1, arbitrary: fc.integer({ min, max }) },
  );
}

function numberOf(shape: Shape): fc.Arbitrary<number> {
  const { min, max } = limitsOf(shape);
  return fc.oneof(
    fc.constantFrom(min, max),
    fc.integer({ min: min * 10, max: max * 10 }).map((tenths) => tenths / 10),
    fc.double({ min, max, noNaN: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
  );
}

function arrayOf(shape: Shape): fc.Arbitrary<unknown[]> {
  if (!shape.items) throw new Error('An array without items is not supported.');
  const limits = {
    minLength: atLeast(shape, 'minItems', 0),
    maxLength: atMost(shape, 'maxItems', 10),
  };
  const items = valueOf(shape.items);
  return valuesOf(shape, 'uniqueItems').includes(true)
    ? fc.uniqueArray(items, { ...limits, comparator: 'SameValueZero' })
    : fc.array(items, limits);
}

function objectOf(shape: Shape): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(
    [...shape.properties].map(([name, inner]) => [name, valueOf(inner, name)]),
  );
  const known = fc.record(fields, { requiredKeys: [...shape.required], noNullPrototype: true });
  const all = isClosed(shape)
    ? known
    : fc.tuple(known, further(shape)).map(([own, more]) => ({ ...more, ...own }));
  const least = atLeast(shape, 'minProperties', 0);
  return all.filter((value) => Object.keys(value).length >= least);
}

/** Additional properties, where the contract allows them. */
function further(shape: Shape): fc.Arbitrary<Record<string, unknown>> {
  const most = atMost(shape, 'maxProperties', 8) - shape.properties.size;
  const name = fc
    .string({ unit: anyCharacter, maxLength: 8 })
    .filter((text) => text !== '__proto__' && !shape.properties.has(text));
  const scalar = fc.oneof(
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.string({ maxLength: 8 }),
  );
  const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }));
  return fc.dictionary(name, value, {
    maxKeys: Math.max(0, Math.min(most, 4)),
    noNullPrototype: true,
  });
}
