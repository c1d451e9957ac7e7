/** Says in plain English what is wrong with a field, and which field it is. */
import { errorMessages } from '../../../generated/constraints.js';
import type { CheckError } from '../../../generated/request-checks.js';
import { fieldName } from './field-name.js';

export const isRequired = 'is required';

export function formatsFirst(one: CheckError, other: CheckError): number {
  return Number(other.keyword === 'format') - Number(one.keyword === 'format');
}

/** `/body/context/user_id` is the field `context.user_id`; `/query/limit` is `limit`. */
export function fieldOf({ instancePath, params }: CheckError): string {
  const [, location = '', ...keys] = instancePath.split('/');
  const named = params['missingProperty'] ?? params['additionalProperty'];
  const path = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return fieldName(typeof named === 'string' ? [...path, named] : path, location || 'request');
}

export function describe({ keyword, message = '', params }: CheckError): string {
  switch (keyword) {
    case 'required':
      return isRequired;
    case 'additionalProperties':
      return 'is not a known field';
    case 'pattern':
    case 'format':
      return errorMessages[keyword][String(params[keyword])] ?? message;
    case 'enum':
      return `must be one of: ${[params['allowedValues']].flat().join(', ')}`;
    default:
      return inPlainEnglish(message);
  }
}

/** The words of Ajv and what they mean. */
const wordings: [RegExp, string][] = [
  [/^must be <= /, 'must be at most '],
  [/^must be >= /, 'must be at least '],
  [/^must NOT have more than /, 'must have at most '],
  [/^must NOT have fewer than /, 'must have at least '],
  [/^must NOT have duplicate items.*/, 'must not have the same item twice'],
  [/^must be (?=string|number|boolean)/, 'must be a '],
  [/^must be (?=array|integer|object)/, 'must be an '],
];

function inPlainEnglish(message: string): string {
  return wordings.reduce((text, [words, plain]) => text.replace(words, plain), message);
}
