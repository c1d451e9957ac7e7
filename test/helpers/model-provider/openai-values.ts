/** Checks of single values, in the words of the OpenAI API. */
import { isObject, type Json, shown } from './json.js';
import { Rejection } from './rejection.js';

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
}

export function invalidType(param: string, expected: string, value: unknown): Rejection {
  return new Rejection(
    `Invalid type for '${param}': expected ${expected}, but got ${typeOf(value)} instead.`,
    { param, code: 'invalid_type' },
  );
}

export function missing(param: string): Rejection {
  return new Rejection(`Missing required parameter: '${param}'.`, {
    param,
    code: 'missing_required_parameter',
  });
}

/** `'a', 'b', and 'c'`. */
export function listed(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  if (quoted.length < 3) return quoted.join(' and ');
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}`;
}

export function object(value: unknown, param: string): Json {
  if (value === undefined) throw missing(param);
  if (!isObject(value)) throw invalidType(param, 'an object', value);
  return value;
}

export function array(
  value: unknown,
  param: string,
  { min = 0, max = Infinity } = {},
): readonly unknown[] {
  if (value === undefined) throw missing(param);
  if (!Array.isArray(value)) throw invalidType(param, 'an array', value);
  const items: readonly unknown[] = value;
  if (items.length < min) {
    throw new Rejection(
      `Invalid '${param}': empty array. Expected an array with minimum length ${min}, but got an empty array instead.`,
      { param, code: 'empty_array' },
    );
  }
  if (items.length > max) {
    throw new Rejection(
      `Invalid '${param}': array too long. Expected an array with maximum length ${max}, but got an array with length ${items.length} instead.`,
      { param, code: 'array_above_max_length' },
    );
  }
  return items;
}

export function string(
  value: unknown,
  param: string,
  { min = 0, max = Infinity }: { min?: number; max?: number } = {},
): string {
  if (value === undefined) throw missing(param);
  if (typeof value !== 'string') throw invalidType(param, 'a string', value);
  if (value.length < min) {
    throw new Rejection(
      `Invalid '${param}': empty string. Expected a string with minimum length ${min}, but got an empty string instead.`,
      { param, code: 'empty_string' },
    );
  }
  if (value.length > max) {
    throw new Rejection(
      `Invalid '${param}': string too long. Expected a string with maximum length ${max}, but got a string with length ${value.length} instead.`,
      { param, code: 'string_above_max_length' },
    );
  }
  return value;
}

/** The name of a function, also of one that a replayed call names. */
export function functionName(value: unknown, param: string): string {
  const name = string(value, param, { min: 1, max: 64 });
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) {
    throw new Rejection(
      `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      { param, code: 'invalid_value' },
    );
  }
  return name;
}

export function oneOf(value: unknown, param: string, supported: readonly string[]): string {
  const text = string(value, param);
  if (!supported.includes(text)) {
    throw new Rejection(`Invalid value: '${text}'. Supported values are: ${listed(supported)}.`, {
      param,
      code: 'invalid_value',
    });
  }
  return text;
}

export function decimal(value: unknown, param: string, [min, max]: [number, number]): void {
  if (value === undefined || value === null) return;
  if (typeof value !== 'number') throw invalidType(param, 'a decimal', value);
  const below = value < min;
  if (!below && value <= max) return;
  throw new Rejection(
    `Invalid '${param}': decimal ${below ? 'below minimum' : 'above maximum'} value. Expected a value ${below ? `>= ${min}` : `<= ${max}`}, but got ${value} instead.`,
    { param, code: below ? 'decimal_below_min_value' : 'decimal_above_max_value' },
  );
}

export function integer(value: unknown, param: string, min: number): void {
  if (value === undefined || value === null) return;
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw invalidType(param, 'an integer', value);
  }
  if (value >= min) return;
  throw new Rejection(
    `Invalid '${param}': integer below minimum value. Expected a value >= ${min}, but got ${value} instead.`,
    { param, code: 'integer_below_min_value' },
  );
}

export function boolean(value: unknown, param: string): void {
  if (value === undefined || value === null || typeof value === 'boolean') return;
  throw invalidType(param, 'a boolean', value);
}

export function unsupportedParameter(param: string, advice = ''): Rejection {
  return new Rejection(
    `Unsupported parameter: '${param}' is not supported with this model.${advice}`,
    { param, code: 'unsupported_parameter' },
  );
}

export function unsupportedValue(
  param: string,
  value: unknown,
  supported: readonly string[],
): Rejection {
  return new Rejection(
    `Unsupported value: '${param}' does not support '${shown(value)}' with this model. Supported values are: ${listed(supported)}.`,
    { param, code: 'unsupported_value' },
  );
}
