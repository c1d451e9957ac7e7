/** Turns a manifest's schema errors into messages with their position in the text. */
import type { ErrorObject } from 'ajv';
import { type Document, isMap, isNode, isScalar } from 'yaml';
import { describeSchemaError } from './manifest-error-text.js';

export interface LocatedProblem {
  /** The position in the text, in characters. */
  offset: number;
  message: string;
}

/** `schema` is the manifest's JSON Schema. */
export function explainErrors(
  errors: ErrorObject[],
  document: Document,
  schema: object,
): LocatedProblem[] {
  const problems = keepSelectedBranches(errors)
    // These only repeat that another error exists.
    .filter(({ keyword }) => keyword !== 'if' && keyword !== 'propertyNames')
    .map((error) => ({
      offset: offsetOf(error, document),
      message: describeSchemaError(error, schema),
    }));
  return problems.filter(
    ({ message }, index) => problems.findIndex((other) => other.message === message) === index,
  );
}

/** The property that selects a branch of a union, as in `auth.type`. */
const discriminator = 'type';

/**
 * Keeps only the errors of the union branch that the discriminator selects. If it selects none, reports the
 * discriminator's allowed values instead.
 */
function keepSelectedBranches(errors: ErrorObject[]): ErrorObject[] {
  const unions = errors.filter(({ keyword }) => keyword === 'oneOf');
  return unions.reduce((remaining, union) => {
    const inner = remaining.filter(
      (error) => error !== union && error.instancePath.startsWith(union.instancePath),
    );
    return [
      ...remaining.filter((error) => error !== union && !inner.includes(error)),
      ...errorsOfSelectedBranch(inner, union),
    ];
  }, errors);
}

function errorsOfSelectedBranch(inner: ErrorObject[], union: ErrorObject): ErrorObject[] {
  const missing = inner.filter(
    ({ keyword, params }) => keyword === 'required' && params['missingProperty'] === discriminator,
  );
  if (missing.length > 0) return mergeBranches(missing, missing.map(discriminatorValueOf));
  const mismatches = inner.filter(({ keyword }) => keyword === 'const');
  if (Array.isArray(union.schema) && mismatches.length === union.schema.length) {
    return mergeBranches(
      mismatches,
      mismatches.map(({ params }): unknown => params['allowedValue']),
    );
  }
  return inner.filter((error) => !mismatches.some((other) => isInBranch(error, other)));
}

/** Replaces the errors of all branches with one. */
function mergeBranches([first]: ErrorObject[], allowedValues: unknown[]): ErrorObject[] {
  if (!first) return [];
  const keyword = first.keyword === 'const' ? 'enum' : first.keyword;
  return [{ ...first, keyword, params: { ...first.params, allowedValues } }];
}

/** The discriminator's value in the branch that reported it missing. */
function discriminatorValueOf({ parentSchema }: ErrorObject): unknown {
  const properties = parentSchema?.['properties'] as Record<string, { const?: unknown }>;
  return properties[discriminator]?.const;
}

/** Whether the error belongs to the same branch as the discriminator mismatch. */
function isInBranch(error: ErrorObject, mismatch: ErrorObject): boolean {
  const properties: unknown = error.parentSchema?.['properties'];
  return (
    error === mismatch ||
    (typeof properties === 'object' &&
      properties !== null &&
      Object.values(properties).includes(mismatch.parentSchema))
  );
}

function offsetOf(
  { keyword, instancePath, params, propertyName }: ErrorObject,
  document: Document,
) {
  const node = nodeAt(document, instancePath.split('/').slice(1).map(unescape));
  const wrongKey: unknown =
    keyword === 'additionalProperties' ? params['additionalProperty'] : propertyName;
  const key = isMap(node)
    ? node.items.find(({ key: own }) => isScalar(own) && own.value === wrongKey)?.key
    : undefined;
  return offsetOfNode(isNode(key) ? key : node);
}

/** The position of a setting. */
export function offsetAt(document: Document, path: readonly (string | number)[]): number {
  return offsetOfNode(nodeAt(document, path));
}

function nodeAt(document: Document, path: readonly (string | number)[]): unknown {
  return path.length === 0 ? document.contents : document.getIn(path, true);
}

function offsetOfNode(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

function unescape(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
