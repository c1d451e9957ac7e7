/** Puts what the schema finds wrong with a manifest into words, and finds where in the text it stands. */
import type { ErrorObject } from 'ajv';
import { type Document, isMap, isNode, isScalar } from 'yaml';

export interface LocatedProblem {
  /** Where in the text, in characters from its beginning. */
  offset: number;
  message: string;
}

export function explainErrors(errors: ErrorObject[], document: Document): LocatedProblem[] {
  return withoutOtherBranches(errors)
    .filter(({ keyword }) => keyword !== 'if')
    .map((error) => ({ offset: offsetOf(error, document), message: sentence(error) }))
    .sort((one, other) => one.offset - other.offset);
}

/**
 * Of alternatives that are told apart by a constant (`auth.type`), only the chosen one's errors help. If none was
 * chosen, the constants themselves are what to say.
 */
function withoutOtherBranches(errors: ErrorObject[]): ErrorObject[] {
  const unions = errors.filter(({ keyword }) => keyword === 'oneOf');
  return unions.reduce((left, union) => {
    const inside = left.filter(
      (error) => error !== union && error.instancePath.startsWith(union.instancePath),
    );
    const refused = inside.filter(({ keyword }) => keyword === 'const');
    const chosen = inside.filter((error) => !refused.some((other) => isOfBranch(error, other)));
    const noneChosen = Array.isArray(union.schema) && refused.length === union.schema.length;
    const kept = noneChosen ? mergeConstants(refused, union) : chosen;
    return [...left.filter((error) => error !== union && !inside.includes(error)), ...kept];
  }, errors);
}

/** Whether the error is of the alternative whose constant was refused. */
function isOfBranch(error: ErrorObject, refusedConstant: ErrorObject): boolean {
  const properties: unknown = error.parentSchema?.['properties'];
  return (
    error === refusedConstant ||
    (typeof properties === 'object' &&
      properties !== null &&
      Object.values(properties).includes(refusedConstant.parentSchema))
  );
}

function mergeConstants(refused: ErrorObject[], union: ErrorObject): ErrorObject[] {
  const [first] = refused;
  if (!first) return [union];
  const allowedValues = refused.map(({ params }) => String(params['allowedValue']));
  return [{ ...first, keyword: 'enum', params: { allowedValues } }];
}

function sentence({
  keyword,
  instancePath,
  params,
  message = 'does not fit',
}: ErrorObject): string {
  const field = instancePath.slice(1).replaceAll('/', '.');
  const inside = field === '' ? '' : `${field}.`;
  const named = field === '' ? 'the manifest' : field;
  switch (keyword) {
    case 'required':
      return `${inside}${String(params['missingProperty'])} is missing`;
    case 'additionalProperties':
      return `${inside}${String(params['additionalProperty'])} is not a known setting`;
    case 'enum':
      return `${named} must be one of: ${(params['allowedValues'] as unknown[]).join(', ')}`;
    case 'dependentRequired':
      return `${inside}${String(params['property'])} needs ${String(params['missingProperty'])} beside it`;
    case 'propertyNames':
      return `${inside}${String(params['propertyName'])} is not a valid name`;
    case 'pattern':
      return secretHint(String(params['pattern']), named) ?? `${named} ${message}`;
    default:
      return `${named} ${message}`;
  }
}

/** The most likely mistake with a secret is to write it down. */
function secretHint(pattern: string, named: string): string | undefined {
  return pattern.includes('env:')
    ? `${named} must be a reference to a secret, \${env:NAME} or \${file:path}, never the secret itself`
    : undefined;
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

function unescape(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
