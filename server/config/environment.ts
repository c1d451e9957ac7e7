/** Reads and validates environment variables, collecting all problems instead of stopping at the first. */
import { readFileSync } from 'node:fs';
import { errorCode } from '../lib/errors/error-code.js';

export type Environment = Record<string, string | undefined>;

/** Variables that can also be read from a file, whose path is in the variable with the suffix `_FILE`. */
export const secretVariables: readonly string[] = [
  'DATABASE_URL',
  'DIRECT_DATABASE_URL',
  'SECRETS_KEY',
  'SECRETS_KEY_PREVIOUS',
  'METRICS_TOKEN',
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'LOCAL_API_KEY',
];

export interface Reader {
  problems: string[];
  /** Problems that do not prevent a start. */
  warnings: string[];
  /** Every variable that has been read so far. */
  known: ReadonlySet<string>;
  /** An empty value counts as unset: container runtimes pass a variable that is unset on the host as an empty one. */
  text(name: string): string | undefined;
  /** `alternatives` describes other allowed values in the error message. */
  integer(
    name: string,
    range: { fallback: number; min: number; max: number },
    alternatives?: string,
  ): number;
  flag(name: string): boolean;
  oneOf<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice;
  url(name: string, protocols: readonly string[], example: string): string | undefined;
  /** The variables themselves, for names that a file contains. */
  environment: Environment;
  bytes(name: string, length: number): Buffer | undefined;
  /** Comma-separated. */
  bytesList(name: string, length: number): Buffer[];
  /** Comma-separated; each item must be valid. */
  list(name: string, isValid: (item: string) => boolean, expected: string): string[];
}

export function readEnvironment(environment: Environment): Reader {
  const problems: string[] = [];
  const warnings: string[] = [];
  const known = new Set<string>();
  const readVariable = (name: string) => {
    known.add(name);
    const value = environment[name]?.trim();
    return value === '' ? undefined : value;
  };

  const readSecret = (name: string) => {
    const [value, file] = [readVariable(name), readVariable(`${name}_FILE`)];
    if (file === undefined) return value;
    if (value === undefined) return readSecretFile(name, file, problems);
    problems.push(`${name} and ${name}_FILE are both set. Remove one of them.`);
    return value;
  };

  /** Caches secrets, so that each problem is reported once. */
  const secrets = new Map<string, string | undefined>();
  const text = (name: string) => {
    if (!secretVariables.includes(name)) return readVariable(name);
    if (!secrets.has(name)) secrets.set(name, readSecret(name));
    return secrets.get(name);
  };

  /** Returns one item, or none if it is empty or invalid. */
  const decode = (name: string, length: number, item: string): Buffer[] => {
    const decoded = decodeBase64(item);
    if (item === '' || decoded?.length === length) return decoded ? [decoded] : [];
    problems.push(
      `${name} must be ${length} random bytes in base64. Generate it with: openssl rand -base64 ${length}`,
    );
    return [];
  };

  return {
    problems,
    warnings,
    known,
    environment,
    text,

    integer(name, { fallback, min, max }, alternatives = '') {
      const value = text(name);
      if (value === undefined) return fallback;
      const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
      if (number >= min && number <= max) return number;
      problems.push(
        `${name} must be ${alternatives}a whole number from ${min} to ${max}, not '${value}'.`,
      );
      return fallback;
    },

    flag(name) {
      const value = text(name);
      if (value !== undefined && value !== 'true' && value !== 'false') {
        problems.push(`${name} must be true or false, not '${value}'.`);
      }
      return value === 'true';
    },

    oneOf(name, choices, fallback) {
      const value = text(name);
      if (value === undefined) return fallback;
      const choice = choices.find((candidate) => candidate === value);
      if (choice === undefined) {
        problems.push(`${name} must be one of ${choices.join(', ')}, not '${value}'.`);
      }
      return choice ?? fallback;
    },

    url(name, protocols, example) {
      const value = text(name);
      if (value === undefined) return undefined;
      if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value;
      // The value is left out of the message: it may contain a password.
      problems.push(`${name} must be a URL such as ${example}.`);
      return undefined;
    },

    bytes: (name, length) => decode(name, length, text(name) ?? '')[0],

    bytesList: (name, length) =>
      (text(name) ?? '').split(',').flatMap((item) => decode(name, length, item.trim())),

    list(name, isValid, expected) {
      const items = (text(name) ?? '')
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
      for (const item of items) {
        if (!isValid(item)) problems.push(`${name} must list ${expected}; '${item}' is invalid.`);
      }
      return items;
    },
  };
}

/** Undefined if the file has no value; adds the reason to `problems`. */
function readSecretFile(name: string, file: string, problems: string[]): string | undefined {
  try {
    const secret = readFileSync(file, 'utf8').trim();
    if (secret !== '') return secret;
    problems.push(`${name}_FILE names ${file}, which is empty.`);
  } catch (error) {
    problems.push(
      `${name}_FILE names ${file}, which cannot be read (${errorCode(error) ?? 'unknown'}).`,
    );
  }
  return undefined;
}

/** Undefined if the text is not base64: Node's own decoder skips invalid characters. */
export function decodeBase64(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** An origin as browsers send it (scheme, host and port), or `*` for any. */
export function isOrigin(text: string): boolean {
  return text === '*' || (URL.canParse(text) && new URL(text).origin === text);
}
