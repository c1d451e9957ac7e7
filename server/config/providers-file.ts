/** Reads PROVIDERS_FILE, which names more servers with an OpenAI-compatible API. */
import { readFileSync } from 'node:fs';
import { isMap, isScalar, LineCounter, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { errorCode } from '../lib/errors/error-code.js';
import { parseSecretReference } from '../lib/text/secret-reference.js';
import type { Environment } from './environment.js';

interface CompatibleServer {
  baseUrl: string;
  apiKey: string | undefined;
  headers: Record<string, string>;
  /** Whether the server takes a JSON Schema for the response. */
  structuredOutputs: boolean;
  /** Whether the temperature is sent. */
  temperature: boolean;
}

export type CompatibleServers = Record<string, CompatibleServer>;

const namePattern = /^[a-z][a-z0-9-]{0,31}$/;
const reservedNames = ['openai', 'anthropic', 'local', 'http', 'builtin'];
const keys = ['baseUrl', 'apiKey', 'headers', 'structuredOutputs', 'temperature'];
const headerPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Adds every problem, with its line, to `problems`. Messages contain no values of the file, since they may be secrets. */
export function readProvidersFile(
  file: string,
  environment: Environment,
  problems: string[],
): CompatibleServers {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    problems.push(
      `PROVIDERS_FILE names ${file}, which cannot be read (${errorCode(error) ?? 'unknown'}).`,
    );
    return {};
  }
  return new ProvidersFile(file, environment, problems).parse(text);
}

class ProvidersFile {
  readonly #file: string;
  readonly #environment: Environment;
  readonly #problems: string[];
  readonly #lines = new LineCounter();

  constructor(file: string, environment: Environment, problems: string[]) {
    this.#file = file;
    this.#environment = environment;
    this.#problems = problems;
  }

  /** Also parses JSON, which is valid YAML. */
  parse(text: string): CompatibleServers {
    const document = parseDocument(text, { lineCounter: this.#lines });
    const [error] = document.errors;
    if (error) {
      // The parser's message would quote the line.
      this.#report(error.pos[0], 'is not valid YAML or JSON');
      return {};
    }
    const { contents } = document;
    if (!isMap(contents)) {
      this.#report(0, 'must map the names of providers to their settings');
      return {};
    }
    return Object.fromEntries(contents.items.flatMap((item) => this.#provider(item)));
  }

  #provider({ key, value }: Pair): [string, CompatibleServer][] {
    const name = nameOf(key);
    const offset = offsetOf(key);
    if (!namePattern.test(name)) {
      this.#report(
        offset,
        `the name '${name}' must be lowercase letters, digits and hyphens, begin with a letter and have at most 32 characters`,
      );
      return [];
    }
    if (reservedNames.includes(name)) {
      this.#report(offset, `the name '${name}' is reserved; choose another`);
      return [];
    }
    if (!isMap(value)) {
      this.#report(offset, `${name} must have settings, at least baseUrl`);
      return [];
    }
    const server = this.#server(name, value, offset);
    return server ? [[name, server]] : [];
  }

  #server(name: string, settings: YAMLMap, offset: number): CompatibleServer | undefined {
    for (const { key } of settings.items) {
      const known = nameOf(key);
      if (keys.includes(known)) continue;
      this.#report(offsetOf(key), `${name}.${known} is unknown; a provider has ${keys.join(', ')}`);
    }
    const baseUrl = this.#url(name, settings, offset);
    const server = {
      apiKey: this.#secret(`${name}.apiKey`, pairOf(settings, 'apiKey')),
      headers: this.#headers(name, settings),
      structuredOutputs: this.#flag(name, settings, 'structuredOutputs'),
      temperature: this.#flag(name, settings, 'temperature'),
    };
    return baseUrl === undefined ? undefined : { baseUrl, ...server };
  }

  #url(name: string, settings: YAMLMap, offset: number): string | undefined {
    const pair = pairOf(settings, 'baseUrl');
    const url = textOf(pair?.value);
    const isUrl = url !== undefined && URL.canParse(url);
    if (isUrl && ['http:', 'https:'].includes(new URL(url).protocol)) return url;
    this.#report(
      pair ? offsetOf(pair.key) : offset,
      `${name}.baseUrl must be a URL such as http://127.0.0.1:1234/v1`,
    );
    return undefined;
  }

  #flag(name: string, settings: YAMLMap, key: string): boolean {
    const pair = pairOf(settings, key);
    const value: unknown = isScalar(pair?.value) ? pair.value.value : undefined;
    if (pair && typeof value !== 'boolean') {
      this.#report(offsetOf(pair.key), `${name}.${key} must be true or false`);
    }
    return value !== false;
  }

  #headers(name: string, settings: YAMLMap): Record<string, string> {
    const pair = pairOf(settings, 'headers');
    if (!pair) return {};
    if (!isMap(pair.value)) {
      this.#report(offsetOf(pair.key), `${name}.headers must map names to references`);
      return {};
    }
    const headers = pair.value.items.flatMap((item): [string, string][] => {
      const header = nameOf(item.key);
      if (!headerPattern.test(header)) {
        this.#report(
          offsetOf(item.key),
          `${name}.headers: '${header}' is not the name of a header`,
        );
        return [];
      }
      const value = this.#secret(`${name}.headers.${header}`, item);
      return value === undefined ? [] : [[header, value]];
    });
    return Object.fromEntries(headers);
  }

  /** Reports a value that is not a reference, and a reference to what does not exist. */
  #secret(path: string, pair: Pair | undefined): string | undefined {
    if (!pair) return undefined;
    const offset = offsetOf(pair.key);
    const reference = parseSecretReference(textOf(pair.value) ?? '');
    if (!reference) {
      this.#report(offset, `${path} must be \${env:NAME} or \${file:path}, not the secret itself`);
      return undefined;
    }
    const { kind, target } = reference;
    const value = kind === 'env' ? this.#environment[target]?.trim() : readSecretFile(target);
    if (value !== undefined && /^[\t\x20-\x7e\x80-\xff]+$/.test(value)) return value;
    const problem =
      kind === 'env'
        ? `the variable ${target} is not set`
        : `the file ${target} cannot be read or is empty`;
    this.#report(
      offset,
      `${path}: ${value ? 'the secret has characters that cannot be sent' : problem}`,
    );
    return undefined;
  }

  #report(offset: number, problem: string): void {
    const { line } = this.#lines.linePos(offset);
    this.#problems.push(`PROVIDERS_FILE, ${this.#file}:${line}: ${problem}.`);
  }
}

function pairOf(settings: YAMLMap, key: string): Pair | undefined {
  return settings.items.find((item) => nameOf(item.key) === key);
}

const nameOf = (key: unknown) => (isScalar(key) ? String(key.value) : '');

const offsetOf = (key: unknown) => (isScalar(key) ? (key.range?.[0] ?? 0) : 0);

function textOf(value: unknown): string | undefined {
  return isScalar(value) && typeof value.value === 'string' ? value.value : undefined;
}

function readSecretFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
