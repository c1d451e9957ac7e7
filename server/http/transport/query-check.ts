/** Checks a query string as it was sent. The parser behind it drops, converts and repairs what the contract does not allow. */
import type { FieldProblem } from '../../../generated/api.js';
import { errorMessages } from '../../../generated/constraints.js';
import type { QueryParameter } from '../../../generated/request-checks.js';
import { fieldName } from './field-name.js';

/** Returns what is wrong with the query string of an address, by the names and types of the operation's parameters. */
export function createQueryCheck(parameters: QueryParameter[]): (url: string) => FieldProblem[] {
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  return (url) => {
    const start = url.indexOf('?');
    if (start === -1) return [];
    const pairs = url.slice(start + 1).split('&');
    const problems = pairs.flatMap((pair) => (pair === '' ? [] : (problemOf(pair, byName) ?? [])));
    // A parameter that is sent twice has one problem.
    return [...new Map(problems.map((problem) => [problem.field, problem])).values()];
  };
}

function problemOf(pair: string, byName: Map<string, QueryParameter>): FieldProblem | undefined {
  const [rawName = '', rawValue = ''] = splitOnce(pair);
  const [name, value] = [decode(rawName), decode(rawValue)];
  if (name === undefined) return { field: 'query', error: notDecodable };
  const field = fieldName([name], 'query');
  const parameter = byName.get(name);
  if (!parameter) return { field, error: 'is not a known parameter' };
  const error = value === undefined ? notDecodable : mismatch(value, rawValue, parameter);
  return error === undefined ? undefined : { field, error };
}

const notDecodable = 'is not valid percent-encoded UTF-8';

/** Those that RFC 3986 reserves, but for the comma, which separates the items of a list. */
const reserved = /[:/?#[\]@!$'()*+;=]/;

function mismatch(
  value: string,
  rawValue: string,
  { type, format, allowReserved }: QueryParameter,
): string | undefined {
  // Conversion takes whatever JavaScript takes for a number, such as 0x10, 1e1 and " 5".
  if (type === 'integer' && !/^-?(0|[1-9][0-9]*)$/.test(value)) return 'must be an integer';
  if (format === 'date-time' && / [0-9]{2}:[0-9]{2}$/.test(value)) {
    return `${errorMessages.format[format] ?? ''}; write the + of an offset as %2B`;
  }
  if (value === '') return 'must not be empty';
  return !allowReserved && reserved.test(rawValue)
    ? 'must have reserved characters percent-encoded'
    : undefined;
}

function splitOnce(pair: string): string[] {
  const end = pair.indexOf('=');
  return end === -1 ? [pair, ''] : [pair.slice(0, end), pair.slice(end + 1)];
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
