/** The options of clients and calls, and their defaults. */
import { defaultBaseUrl } from './generated/service.js';

export type HeaderFields = Record<string, string>;

/** The options of a call, which override those of the client. */
export interface RequestOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How often a request is sent again after a failure that may pass: 2 by default. */
  maxRetries?: number | undefined;
  /**
   * Milliseconds that each attempt may take: 90 000 by default, more than an invocation may take; 0 for no limit. A
   * stream may take longer in all, but not be idle for that long.
   */
  timeout?: number | undefined;
  /** Further headers. */
  headers?: HeaderFields | undefined;
}

/** The options of an operation that takes effect once, however often its request is sent. */
export interface IdempotentOptions extends RequestOptions {
  /** Your own key, so that the service recognises a repeated call. By default each call gets a random one. */
  idempotencyKey?: string | undefined;
}

export interface ClientOptions extends Omit<RequestOptions, 'signal'> {
  /** The API key, or a function that returns it for each attempt; by default `AGENT_HOSTING_API_KEY`. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the service; by default `AGENT_HOSTING_BASE_URL`, and without it a service on this machine. */
  baseUrl?: string | undefined;
  /** Replaces the global `fetch`, for every attempt; `withMiddleware` creates one. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** The options of a client with every default filled in. */
export interface ClientSettings {
  maxRetries: number;
  timeout: number;
  apiKey: NonNullable<ClientOptions['apiKey']>;
  baseUrl: string;
  headers: HeaderFields;
  fetch: typeof globalThis.fetch;
}

export function resolveOptions({
  apiKey = environmentVariable('API_KEY'),
  baseUrl = environmentVariable('BASE_URL') ?? defaultBaseUrl,
  maxRetries = 2,
  timeout = 90_000,
  headers = {},
  fetch = globalThis.fetch,
}: ClientOptions = {}): ClientSettings {
  if (!apiKey) throw new TypeError('Set apiKey or AGENT_HOSTING_API_KEY.');
  return {
    apiKey,
    baseUrl: normalizeBaseUrl(baseUrl),
    maxRetries,
    timeout,
    headers,
    fetch,
  };
}

/** Without the version, which is part of every path. */
export function normalizeBaseUrl(baseUrl: string): string {
  return baseUrl.replace(/(\/v1)?\/*$/, '');
}

function environmentVariable(name: string): string | undefined {
  const { process } = globalThis as {
    process?: { env?: Record<string, string | undefined> };
  };
  // A variable that is empty counts as not set.
  return process?.env?.[`AGENT_HOSTING_${name}`] || undefined;
}
