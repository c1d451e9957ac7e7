/** Describes the validator's violations in plain English. */
import { errorMessages } from '../../../generated/constraints.js';
import { fieldName } from './field-name.js';

/** A problem as express-openapi-validator reports it. */
export interface Violation {
  /** Such as `/body/context/user_id`. */
  path: string;
  message: string;
  /** Begins with the schema keyword; missing for checks that have none. */
  errorCode?: string;
}

export const isRequired = 'is required';

const keywordOf = ({ errorCode }: Violation) => errorCode?.split('.')[0];

export function formatsFirst(one: Violation, other: Violation): number {
  return Number(keywordOf(other) === 'format') - Number(keywordOf(one) === 'format');
}

/** `/body/context/user_id` is the field `context.user_id`; `/query/limit` is `limit`. */
export function fieldOf({ path }: Violation): string {
  const [, location = '', ...keys] = path.split('/');
  const names = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return fieldName(names, location || 'request');
}

export function describe(violation: Violation): string {
  const { message } = violation;
  const keyword = keywordOf(violation);
  switch (keyword) {
    case 'required':
      return isRequired;
    case 'additionalProperties':
      return 'is not a known field';
    case 'pattern':
    case 'format':
      // The message ends with the quoted pattern or format.
      return errorMessages[keyword][message.slice(message.indexOf('"') + 1, -1)] ?? message;
    default:
      return wordings.reduce((text, [words, plain]) => text.replace(words, plain), message);
  }
}

/** The validator's wordings and ours. */
const wordings: [RegExp, string][] = [
  [/^must be <= /, 'must be at most '],
  [/^must be >= /, 'must be at least '],
  [/^must NOT have more than /, 'must have at most '],
  [/^must NOT have fewer than /, 'must have at least '],
  [/^must NOT have duplicate items.*/, 'must not have the same item twice'],
  [/^must be equal to one of the allowed values: /, 'must be one of: '],
  [/^must be (?=string|number|boolean)/, 'must be a '],
  [/^must be (?=array|integer|object)/, 'must be an '],
  [/^Unknown query parameter .*/s, 'is not a known parameter'],
  [/^Empty value found for query parameter .*/s, 'must not be empty'],
  [/^Parameter '.*' must be url encoded.*/s, 'must have reserved characters percent-encoded'],
];
