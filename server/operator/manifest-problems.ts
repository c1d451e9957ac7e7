/** Turns schema errors of a manifest into messages with their position in the text. */
import type { ErrorObject } from 'ajv';
import { type Document, isMap, isNode, isScalar } from 'yaml';
import { descriptionOf } from './manifest-words.js';

export interface LocatedProblem {
  /** The position in the text, in characters. */
  offset: number;
  message: string;
}

/** `schema` is that of the manifest. */
export function explainErrors(
  errors: ErrorObject[],
  document: Document,
  schema: object,
): LocatedProblem[] {
  const problems = withoutOtherBranches(errors)
    // Each of these only says that there is another one.
    .filter(({ keyword }) => keyword !== 'if' && keyword !== 'propertyNames')
    .map((error) => ({ offset: offsetOf(error, document), message: descriptionOf(error, schema) }));
  return problems.filter(
    ({ message }, index) => problems.findIndex((other) => other.message === message) === index,
  );
}

/** What tells the branches of a union from each other, as in `auth.type`. */
const discriminator = 'type';

/**
 * Of a union with a discriminator, keeps only the errors of the branch that it selects. If it selects none, reports the
 * allowed values of the discriminator instead.
 */
function withoutOtherBranches(errors: ErrorObject[]): ErrorObject[] {
  const unions = errors.filter(({ keyword }) => keyword === 'oneOf');
  return unions.reduce((remaining, union) => {
    const inner = remaining.filter(
      (error) => error !== union && error.instancePath.startsWith(union.instancePath),
    );
    return [
      ...remaining.filter((error) => error !== union && !inner.includes(error)),
      ...errorsOfBranch(inner, union),
    ];
  }, errors);
}

function errorsOfBranch(inner: ErrorObject[], union: ErrorObject): ErrorObject[] {
  const missing = inner.filter(
    ({ keyword, params }) => keyword === 'required' && params['missingProperty'] === discriminator,
  );
  if (missing.length > 0) return mergeBranches(missing, missing.map(constantOf));
  const mismatches = inner.filter(({ keyword }) => keyword === 'const');
  if (Array.isArray(union.schema) && mismatches.length === union.schema.length) {
    return mergeBranches(
      mismatches,
      mismatches.map(({ params }): unknown => params['allowedValue']),
    );
  }
  return inner.filter((error) => !mismatches.some((other) => isOfBranch(error, other)));
}

/** One error in place of one for each branch. */
function mergeBranches([first]: ErrorObject[], allowedValues: unknown[]): ErrorObject[] {
  if (!first) return [];
  const keyword = first.keyword === 'const' ? 'enum' : first.keyword;
  return [{ ...first, keyword, params: { ...first.params, allowedValues } }];
}

/** The discriminator's value in the branch that misses it. */
function constantOf({ parentSchema }: ErrorObject): unknown {
  const properties = parentSchema?.['properties'] as Record<string, { const?: unknown }>;
  return properties[discriminator]?.const;
}

/** Whether the error belongs to the branch whose discriminator does not match. */
function isOfBranch(error: ErrorObject, mismatch: ErrorObject): boolean {
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
  const path = instancePath.split('/').slice(1).map(unescape);
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  const wrongKey: unknown =
    keyword === 'additionalProperties' ? params['additionalProperty'] : propertyName;
  const key = isMap(node)
    ? node.items.find(({ key: own }) => isScalar(own) && own.value === wrongKey)?.key
    : undefined;
  const place = isNode(key) ? key : node;
  return isNode(place) ? (place.range?.[0] ?? 0) : 0;
}

function unescape(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
