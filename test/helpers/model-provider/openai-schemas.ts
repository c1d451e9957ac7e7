/** What OpenAI requires of the JSON Schemas of tools and outputs, loosely and in strict mode. */
import { isObject, type Json, listOf, objectOf, shown } from './json.js';
import { Rejection } from './rejection.js';

interface Owner {
  /** `function 'refund'`, or `response_format 'answer'`. */
  what: string;
  param: string;
}

type Report = (problem: string) => never;

function reporterFor({ what, param }: Owner): Report {
  return (problem) => {
    const code = what.startsWith('function') ? 'invalid_function_parameters' : null;
    throw new Rejection(`Invalid schema for ${what}: ${problem}`, { param, code });
  };
}

const combinators = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'];

/** Without `strict`, only the outline is checked. */
export function checkParameters(schema: Json, owner: Owner): void {
  const report = reporterFor(owner);
  if (schema['type'] !== 'object') {
    report(
      `schema must be a JSON Schema of 'type: "object"', got 'type: "${shown(schema['type'] ?? 'None')}"'.`,
    );
  }
  if (combinators.some((name) => name in schema)) {
    report(
      "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
    );
  }
  checkOutline(schema, [], report);
}

function checkOutline(schema: Json, path: readonly string[], report: Report): void {
  const where = `In context=${tuple(path)}`;
  if (path.length === 0 && !isObject(schema['properties'])) {
    report(`${where}, object schema missing properties.`);
  }
  if (schema['type'] === 'array' && schema['items'] === undefined) {
    report(`${where}, array schema missing items.`);
  }
  for (const [step, child] of childrenOf(schema)) checkOutline(child, [...path, ...step], report);
}

/** In strict mode, objects are closed and all their properties required. */
export function checkStrictSchema(schema: Json, owner: Owner): void {
  checkClosed(schema, [], reporterFor(owner));
}

function checkClosed(schema: Json, path: readonly string[], report: Report): void {
  const where = `In context=${tuple(path)}`;
  if (schema['type'] === 'object' || isObject(schema['properties'])) {
    if (schema['additionalProperties'] !== false) {
      report(`${where}, 'additionalProperties' is required to be supplied and to be false.`);
    }
    const required = listOf(schema['required']);
    const absent = Object.keys(objectOf(schema['properties'])).find(
      (name) => !required.includes(name),
    );
    if (absent !== undefined) {
      report(
        `${where}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${absent}'.`,
      );
    }
  }
  for (const name of ['oneOf', 'allOf', 'not', 'patternProperties']) {
    if (name in schema) report(`${where}, '${name}' is not permitted.`);
  }
  for (const [step, child] of childrenOf(schema)) checkClosed(child, [...path, ...step], report);
}

function childrenOf(schema: Json): [step: string[], child: Json][] {
  const children: [string[], unknown][] = [
    ...['properties', '$defs', 'definitions'].flatMap((name) =>
      Object.entries(objectOf(schema[name])).map(([key, child]): [string[], unknown] => [
        [name, key],
        child,
      ]),
    ),
    ...listOf(schema['anyOf']).map((child, index): [string[], unknown] => [
      ['anyOf', `${index}`],
      child,
    ]),
    [['items'], schema['items']],
  ];
  return children.flatMap(([step, child]) => (isObject(child) ? [[step, child] as const] : []));
}

/** A Python tuple, as in OpenAI's errors. */
function tuple(path: readonly string[]): string {
  const quoted = path.map((step) => `'${step}'`);
  return quoted.length === 1 ? `(${quoted[0]},)` : `(${quoted.join(', ')})`;
}

/** An example of each property that a model in strict mode would have to give. */
export function fillProperties(schema: Json, given: Json): Json {
  const missing = Object.entries(objectOf(schema['properties'])).filter(
    ([name]) => !(name in given),
  );
  return {
    ...given,
    ...Object.fromEntries(missing.map(([name, child]) => [name, example(objectOf(child))])),
  };
}

function example(schema: Json): unknown {
  const [first] = listOf(schema['enum']);
  if (first !== undefined) return first;
  const types: readonly unknown[] = Array.isArray(schema['type'])
    ? listOf(schema['type'])
    : [schema['type']];
  if (types.includes('null')) return null;
  if (types.includes('string')) return 'filled in';
  if (types.includes('number') || types.includes('integer')) return 0;
  if (types.includes('boolean')) return false;
  if (types.includes('array')) return [];
  return types.includes('object') ? fillProperties(schema, {}) : null;
}
