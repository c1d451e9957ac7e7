/** The options of clients and calls, and their defaults. */
import { defaultBaseUrl } from './generated/service.js';
import { createLog, type ClientLogLevel, type Log, type Logger } from './logging.js';
import { environmentVariable, userAgent } from './runtime.js';

export type HeaderFields = Record<string, string>;

/** Undefined values are not sent. */
export type HeaderValues = Record<string, string | undefined>;

/** The options of a call; they override those of the client. */
export interface RequestOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How often a request is retried after a temporary failure: 2 by default. */
  maxRetries?: number | undefined;
  /**
   * Milliseconds that each attempt may take: 90 000 by default, more than the service allows an invocation; 0 for no
   * limit. For a stream it limits the time without data, not the total.
   */
  timeout?: number | undefined;
  /** Additional headers. */
  headers?: HeaderFields | undefined;
}

/**
 * The options of an idempotent operation: however often its request is sent, it takes effect once. An invocation that
 * fails before it calls a tool may run again.
 */
export interface IdempotentOptions extends RequestOptions {
  /** Lets the service recognise a repeated call. By default each call gets a random key. */
  idempotencyKey?: string | undefined;
}

export interface ClientOptions extends Omit<RequestOptions, 'signal'> {
  /** The API key, or a function that is called for each attempt; by default `AGENT_HOSTING_API_KEY`. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the service; by default `AGENT_HOSTING_BASE_URL`, otherwise a service on this machine. */
  baseUrl?: string | undefined;
  /** Replaces the global `fetch` for every attempt; `withMiddleware` creates one. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Which attempts are logged, never with keys or bodies; by default `AGENT_HOSTING_LOG`, otherwise none. */
  logLevel?: ClientLogLevel | undefined;
  /** By default the console. */
  logger?: Logger | undefined;
}

/** The options of a client with every default filled in. */
export interface ClientSettings {
  maxRetries: number;
  timeout: number;
  apiKey: NonNullable<ClientOptions['apiKey']>;
  baseUrl: string;
  headers: HeaderValues;
  fetch: typeof globalThis.fetch;
  log: Log | undefined;
}

export function resolveOptions({
  apiKey = environmentVariable('API_KEY'),
  baseUrl = environmentVariable('BASE_URL') ?? defaultBaseUrl,
  maxRetries = 2,
  timeout = 90_000,
  headers = {},
  fetch = globalThis.fetch,
  logLevel = environmentVariable('LOG') as ClientLogLevel | undefined,
  logger = console,
}: ClientOptions = {}): ClientSettings {
  requireValidHeaders(headers);
  return {
    apiKey: typeof apiKey === 'function' ? apiKey : requireApiKey(apiKey),
    baseUrl: normalizeBaseUrl(baseUrl),
    maxRetries,
    timeout,
    headers: { accept: 'application/json', 'user-agent': userAgent(), ...headers },
    fetch,
    log: logLevel && createLog(logger, logLevel),
  };
}

/** Throws if the key cannot be sent in a header. The error never contains the key. */
export function requireApiKey(apiKey: string | undefined): string {
  if (!apiKey) throw new TypeError('Set apiKey or AGENT_HOSTING_API_KEY.');
  const position = apiKey.search(/[^!-~]/);
  if (position < 0) return apiKey;
  const character = /\s/.test(apiKey.charAt(position)) ? 'a space or line break' : 'a character';
  throw new TypeError(
    `The API key has ${character} that is not allowed, at position ${position + 1} of ${apiKey.length}: ` +
      'set apiKey or AGENT_HOSTING_API_KEY to the whole key and nothing else.',
  );
}

/** The error that fetch itself throws contains the value, which may be a secret. */
export function requireValidHeaders(headers: HeaderValues): void {
  for (const [name, value = ''] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch {
      throw new TypeError(`The header ${name} cannot be sent.`);
    }
  }
}

/** Removes the version, which is part of every path. Errors do not contain the URL, since it may hold a password. */
export function normalizeBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (
    url &&
    /^https?:/.test(url.href) &&
    !url.username &&
    !url.password &&
    !/[?#]/.test(url.href)
  ) {
    return url.href.replace(/(\/v1)?\/*$/, '');
  }
  throw new TypeError(
    'baseUrl or AGENT_HOSTING_BASE_URL must be a URL such as https://agents.example.com: ' +
      'it begins with http:// or https://, and has no user, query or fragment.',
  );
}
