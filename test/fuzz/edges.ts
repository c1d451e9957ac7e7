/** Valid requests with one value at a limit of the contract: each bound, each enum value, each null. */
import fc from 'fast-check';
import type { Operation } from './contract.js';
import { atLeast, atMost, type Shape, shapeOf, valuesOf } from './schema.js';
import { mediaTypesOf, type Template } from './template.js';
import { lengthOf, textOf } from './text.js';
import { valueOf } from './values.js';
import { put, withParameter } from './edit.js';

export interface Edge {
  /** For example `body name: maxLength`. */
  name: string;
  values: fc.Arbitrary<unknown>;
  apply: (template: Template, value: unknown) => Template;
}

export function edgesOf(operation: Operation): Edge[] {
  const { parameters, body } = operation;
  const inParameters = parameters.flatMap((parameter) =>
    edgesIn(shapeOf(parameter.schema)).map(({ keyword, values }) => ({
      name: `${parameter.in} ${parameter.name}: ${keyword} reached`,
      values,
      apply: (template: Template, value: unknown) => withParameter(template, parameter, value),
    })),
  );
  const inBody = (body ? edgesOfBody(shapeOf(body)) : []).map(
    ({ keyword, path, names, values }) => ({
      name: `body ${names.join('.')}: ${keyword} reached`,
      values,
      apply: (template: Template, value: unknown) => ({
        ...template,
        body: put(template.body, path, value),
      }),
    }),
  );
  const inAccept = mediaTypesOf(operation).map((type) => ({
    name: `header Accept: ${type} in capitals`,
    values: fc.constant(type.toUpperCase()),
    apply: (template: Template, value: unknown) => ({
      ...template,
      headers: { ...template.headers, Accept: String(value) },
    }),
  }));
  return [...inParameters, ...inBody, ...inAccept];
}

interface Inner {
  keyword: string;
  /** Where the limit is, for the name. */
  names: string[];
  /** Whole values, in which only the limit is reached. */
  values: fc.Arbitrary<unknown>;
}

/** Each field alone, so that the request keeps its other fields. */
function edgesOfBody(shape: Shape): (Inner & { path: string[] })[] {
  const own = edgesIn({ ...shape, properties: new Map() }).map((edge) => ({ path: [], ...edge }));
  const ofFields = [...shape.properties].flatMap(([name, inner]) =>
    edgesIn(inner).map((edge) => ({ ...edge, path: [name], names: [name, ...edge.names] })),
  );
  return [...own, ...ofFields];
}

function edgesIn(shape: Shape): Inner[] {
  const branches = shape.branches.filter(({ type }) => type !== 'null');
  const isNullable = branches.length < shape.branches.length;
  return [
    ...(isNullable ? [{ keyword: 'null', names: [], values: fc.constant(null) }] : []),
    ...[shape, ...branches].flatMap((part) => [
      ...part.keywords.flatMap(({ name, value }) =>
        edgeOf(name, value, part).map((values, index) => ({
          keyword: `${name} ${index + 1}`,
          names: [],
          values,
        })),
      ),
      ...[...part.properties].flatMap(([name, inner]) =>
        edgesIn(inner).map(({ keyword, names, values }) => ({
          keyword,
          names: [name, ...names],
          // With what the object requires beside it.
          values: fc
            .tuple(valueOf(part), values)
            .map(([whole, value]) => ({ ...(whole as object), [name]: value })),
        })),
      ),
      // Alone, since another item might be equal.
      ...(part.items ? edgesIn(part.items) : []).map((edge) => ({
        ...edge,
        values: edge.values.map((item) => [item]),
      })),
    ]),
  ];
}

function edgeOf(keyword: string, value: unknown, shape: Shape): fc.Arbitrary<unknown>[] {
  const limit = Number(value);
  const { items } = shape;
  switch (keyword) {
    case 'enum':
      return (value as unknown[]).map((one) => fc.constant(one));
    case 'minimum':
    case 'maximum':
      return [fc.constant(limit)];
    case 'minLength':
    case 'maxLength':
      return isStrictest(keyword, limit, shape) ? textsOfLength(shape, limit) : [];
    case 'minItems':
    case 'maxItems':
      return items ? [fc.uniqueArray(valueOf(items), { minLength: limit, maxLength: limit })] : [];
    case 'maxProperties':
      return [
        fc.constant(Object.fromEntries(Array.from({ length: limit }, (_, n) => [`k${n}`, n]))),
      ];
    default:
      return [];
  }
}

/** Only the strictest of several limits can be reached. */
function isStrictest(keyword: string, limit: number, shape: Shape): boolean {
  return keyword.startsWith('min')
    ? atLeast(shape, keyword, limit) === limit
    : atMost(shape, keyword, limit) === limit;
}

/** In characters of one code unit and of two; with a pattern, a valid text whose end is repeated. */
function textsOfLength(shape: Shape, length: number): fc.Arbitrary<string>[] {
  // The format decides how long such a text can be.
  if (valuesOf(shape, 'format').length > 0) return [];
  const patterns = valuesOf<string>(shape, 'pattern').map((pattern) => new RegExp(pattern, 'u'));
  const fits = (text: string) =>
    lengthOf(text) === length && patterns.every((pattern) => pattern.test(text));
  const repeated = ['a', 'é', '\u{1F600}'].map((unit) => unit.repeat(length)).filter(fits);
  if (repeated.length > 0) return repeated.map((text) => fc.constant(text));
  const stretched = textOf(shape)
    .filter((text) => text !== '')
    .map(
      (text) => text + (Array.from(text).at(-1) ?? '').repeat(Math.max(0, length - lengthOf(text))),
    );
  const canFit = fc.sample(stretched, { numRuns: 20, seed: 1 }).some(fits);
  return canFit ? [stretched.filter(fits)] : [];
}
