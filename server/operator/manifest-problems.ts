/** Turns schema errors of a manifest into messages with their position in the text. */
import type { ErrorObject } from 'ajv';
import { type Document, isMap, isNode, isScalar } from 'yaml';

export interface LocatedProblem {
  /** The position in the text, in characters. */
  offset: number;
  message: string;
}

export function explainErrors(errors: ErrorObject[], document: Document): LocatedProblem[] {
  return withoutOtherBranches(errors)
    .filter(({ keyword }) => keyword !== 'if')
    .map((error) => ({ offset: offsetOf(error, document), message: describeError(error) }))
    .sort((one, other) => one.offset - other.offset);
}

/**
 * Of a union with a discriminator (`auth.type`), keeps only the errors of the branch that it selects. If it selects
 * none, reports the allowed values of the discriminator instead.
 */
function withoutOtherBranches(errors: ErrorObject[]): ErrorObject[] {
  const unions = errors.filter(({ keyword }) => keyword === 'oneOf');
  return unions.reduce((remaining, union) => {
    const inner = remaining.filter(
      (error) => error !== union && error.instancePath.startsWith(union.instancePath),
    );
    const mismatches = inner.filter(({ keyword }) => keyword === 'const');
    const selected = inner.filter((error) => !mismatches.some((other) => isOfBranch(error, other)));
    const noneSelected = Array.isArray(union.schema) && mismatches.length === union.schema.length;
    const kept = noneSelected ? mergeConstants(mismatches, union) : selected;
    return [...remaining.filter((error) => error !== union && !inner.includes(error)), ...kept];
  }, errors);
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

function mergeConstants(mismatches: ErrorObject[], union: ErrorObject): ErrorObject[] {
  const [first] = mismatches;
  if (!first) return [union];
  const allowedValues = mismatches.map(({ params }) => String(params['allowedValue']));
  return [{ ...first, keyword: 'enum', params: { allowedValues } }];
}

function describeError({
  keyword,
  instancePath,
  params,
  parentSchema,
  message = 'is not valid',
}: ErrorObject): string {
  const field = instancePath.slice(1).replaceAll('/', '.');
  const prefix = field === '' ? '' : `${field}.`;
  const subject = field === '' ? 'the manifest' : field;
  switch (keyword) {
    case 'required':
      return `${prefix}${String(params['missingProperty'])} is missing`;
    case 'additionalProperties':
      return `${prefix}${String(params['additionalProperty'])} is not a known setting`;
    case 'enum':
      return `${subject} must be one of: ${(params['allowedValues'] as unknown[]).join(', ')}`;
    case 'dependentRequired':
      return `${prefix}${String(params['property'])} also requires ${String(params['missingProperty'])}`;
    case 'propertyNames':
      return `${prefix}${String(params['propertyName'])} is not a valid name`;
    case 'pattern':
    case 'format':
      return `${subject} ${String(parentSchema?.['patternErrorMessage'] ?? message)}`;
    default:
      return `${subject} ${message}`;
  }
}

function offsetOf({ keyword, instancePath, params }: ErrorObject, document: Document): number {
  const path = instancePath.split('/').slice(1).map(unescape);
  if (keyword === 'additionalProperties') {
    const parent = path.length === 0 ? document.contents : document.getIn(path, true);
    const key = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && key.value === params['additionalProperty'])
          ?.key
      : undefined;
    if (isNode(key)) return key.range?.[0] ?? 0;
  }
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

function unescape(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
