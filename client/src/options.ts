/** What a client can be told, and where it finds what it is not told. */
import { defaultBaseUrl } from './generated/service.js';

export type HeaderFields = Record<string, string>;

/** What one call can be told; it goes before what the client was told. */
export interface RequestOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How often a request that failed for a passing reason is repeated: 2 unless said otherwise. */
  maxRetries?: number | undefined;
  /**
   * Milliseconds that each attempt may take: 90 000 unless said otherwise, more than an agent may think; 0 for no
   * limit. A stream may take longer in all, but not stay silent for that long.
   */
  timeout?: number | undefined;
  /** Further headers. */
  headers?: HeaderFields | undefined;
}

/** Options for what happens once, however often the request is repeated. */
export interface IdempotentOptions extends RequestOptions {
  /** Your own key, so that a repeat of the call is a repeat for the service too. Otherwise each call gets a random one. */
  idempotencyKey?: string | undefined;
}

export interface ClientOptions extends Omit<RequestOptions, 'signal'> {
  /** The API key, or a function that gives it for each attempt. Otherwise `AGENT_HOSTING_API_KEY` is read. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Where the service is. Otherwise `AGENT_HOSTING_BASE_URL` is read; without it, a service on this machine is meant. */
  baseUrl?: string | undefined;
  /** Used in place of the global `fetch`, for every attempt; `withMiddleware` makes one. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** What a client was told, with what it found for the rest. */
export interface Settings {
  maxRetries: number;
  timeout: number;
  apiKey: NonNullable<ClientOptions['apiKey']>;
  baseUrl: string;
  headers: HeaderFields;
  fetch: typeof globalThis.fetch;
}

export function settingsFrom({
  apiKey = environment('API_KEY'),
  baseUrl = environment('BASE_URL') ?? defaultBaseUrl,
  maxRetries = 2,
  timeout = 90_000,
  headers = {},
  fetch = globalThis.fetch,
}: ClientOptions = {}): Settings {
  if (!apiKey) throw new TypeError('Set apiKey or AGENT_HOSTING_API_KEY.');
  // The version is part of every path; an address that names it as well is understood.
  return {
    apiKey,
    baseUrl: baseUrl.replace(/(\/v1)?\/*$/, ''),
    maxRetries,
    timeout,
    headers,
    fetch,
  };
}

function environment(name: string): string | undefined {
  const { process } = globalThis as {
    process?: { env?: Record<string, string | undefined> };
  };
  // A variable that is set to nothing is not set.
  return process?.env?.[`AGENT_HOSTING_${name}`] || undefined;
}
