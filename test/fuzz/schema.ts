/** A schema as a flat list of keywords: references and `allOf` are resolved, and each keyword keeps its pointer. */
import { type Place, itemsOf, membersOf, child } from './contract.js';

export interface Keyword {
  name: string;
  value: unknown;
  pointer: string;
}

export interface Shape {
  keywords: Keyword[];
  /** Undefined for a union, which has branches instead. */
  type: string | undefined;
  /** The alternatives of `oneOf`, `anyOf` and a list of types. */
  branches: Shape[];
  properties: Map<string, Shape>;
  required: Set<string>;
  items: Shape | undefined;
  examples: unknown[];
}

/** Keywords that constrain values. Others, such as `description`, are for people. */
const constraints = new Set([
  'type',
  'enum',
  'const',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'additionalProperties',
  'required',
]);

/** Handled by the structure of a shape, or not a constraint. */
const others = new Set([
  'oneOf',
  'anyOf',
  'allOf',
  'items',
  'properties',
  'description',
  'title',
  'default',
  'deprecated',
  'example',
  'examples',
  'contentMediaType',
  'contentSchema',
  '$comment',
]);

/** Throws at an unknown keyword, so that no rule of the contract goes untested. */
export function shapeOf(place: Place): Shape {
  const parts = partsOf(place);
  const keywords = parts.flatMap(keywordsAt);
  const types = keywords.filter(({ name }) => name === 'type').map(({ value }) => value);
  const listed = types.find((type) => Array.isArray(type)) as string[] | undefined;
  const unions = parts.flatMap((part) => [...itemsOf(part, 'oneOf'), ...itemsOf(part, 'anyOf')]);
  const itemPlaces = parts.filter(({ node }) => node['items'] !== undefined);
  return {
    keywords,
    type: types.find((type) => typeof type === 'string'),
    branches: [
      ...unions.map(shapeOf),
      ...(listed ?? []).map((type) => shapeOf(withType(place, type))),
    ],
    properties: new Map(
      parts
        .flatMap((part) => membersOf(part, 'properties'))
        .map(([name, member]) => [name, shapeOf(member)]),
    ),
    required: new Set(
      keywords.flatMap(({ name, value }) => (name === 'required' ? (value as string[]) : [])),
    ),
    items: itemPlaces.map((part) => shapeOf(child(part, 'items')))[0],
    examples: parts.flatMap(({ node }) =>
      Array.isArray(node['examples']) ? (node['examples'] as unknown[]) : [],
    ),
  };
}

/** The values of a keyword, which may occur several times. */
export function valuesOf<Value>({ keywords }: Shape, name: string): Value[] {
  return keywords.flatMap((keyword) => (keyword.name === name ? [keyword.value as Value] : []));
}

/** The strictest lower limit. */
export function atLeast(shape: Shape, name: string, fallback: number): number {
  return Math.max(fallback, ...valuesOf<number>(shape, name));
}

/** The strictest upper limit. */
export function atMost(shape: Shape, name: string, fallback: number): number {
  return Math.min(fallback, ...valuesOf<number>(shape, name));
}

export function isClosed(shape: Shape): boolean {
  return valuesOf(shape, 'additionalProperties').includes(false);
}

/** The types that a value of the shape can have, across its branches. */
export function typesOf({ type, branches }: Shape): Set<string> {
  const own = type === undefined ? [] : [type];
  return new Set([...own, ...branches.flatMap((branch) => [...typesOf(branch)])]);
}

function partsOf(place: Place): Place[] {
  return [place, ...itemsOf(place, 'allOf').flatMap(partsOf)];
}

function keywordsAt({ pointer, node }: Place): Keyword[] {
  return Object.entries(node).flatMap(([name, value]) => {
    if (constraints.has(name)) return [{ name, value, pointer: `${pointer}/${name}` }];
    if (others.has(name) || name.startsWith('x-')) return [];
    throw new Error(`${pointer}: the fuzzer does not know the keyword ${name}.`);
  });
}

function withType({ pointer, node }: Place, type: string): Place {
  return { pointer, node: { ...node, type } };
}
