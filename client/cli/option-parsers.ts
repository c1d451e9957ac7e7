/** Parsers for option values; commander prints the messages of their errors. */
import { InvalidArgumentError } from 'commander';

export function parseNumber(text: string): number {
  const value = text.trim() === '' ? NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw new InvalidArgumentError('It must be a number.');
}

export function parsePositiveInteger(text: string): number {
  const value = parseNumber(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

export function parsePort(text: string): number {
  const value = parseNumber(text);
  if (Number.isInteger(value) && value >= 0 && value < 65_536) return value;
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}

export function parseJsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return Object.fromEntries(Object.entries(value));
    }
  } catch {
    // The error below covers both cases.
  }
  throw new InvalidArgumentError('It must be a JSON object, such as {"order":5512}.');
}

/** Parses comma-separated values, each of them allowed, into a list without duplicates. */
export function listParser<Value extends string>(
  allowed: readonly Value[],
): (text: string) => Value[] {
  return (text) => {
    const given = text.split(',').map((value) => value.trim());
    const unknown = given.find((value) => !allowed.some((one) => one === value));
    if (unknown === undefined) return allowed.filter((value) => given.includes(value));
    throw new InvalidArgumentError(`'${unknown}' is not one of ${allowed.join(', ')}.`);
  };
}
