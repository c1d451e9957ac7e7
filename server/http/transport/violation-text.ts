/** Says in plain English what the validator found wrong with a field. */
import { errorMessages } from '../../../generated/constraints.js';

export interface Violation {
  path: string;
  message: string;
  /** The keyword of the schema, and more. */
  errorCode?: string;
}

export const isRequired = 'is required';

export function formatsFirst(one: Violation, other: Violation): number {
  return Number(keywordOf(other) === 'format') - Number(keywordOf(one) === 'format');
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
      // The validator quotes what it demanded.
      return errorMessages[keyword][message.slice(message.indexOf('"') + 1, -1)] ?? message;
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
  [/^must be equal to one of the allowed values: /, 'must be one of: '],
  [/^must NOT have duplicate items.*/, 'must not have the same item twice'],
  [/^must be (?=string|number|boolean)/, 'must be a '],
  [/^must be (?=array|integer|object)/, 'must be an '],
];

function inPlainEnglish(message: string): string {
  return wordings.reduce((text, [words, plain]) => text.replace(words, plain), message);
}

function keywordOf({ errorCode }: Violation): string | undefined {
  return errorCode?.split('.')[0];
}
