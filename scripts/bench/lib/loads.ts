/** The requests that benchmarks send. */
import { operations } from '../../../generated/operations.js';
import type { Load } from './load.js';
import { type BenchTenant, requestsPerRound } from './tenant.js';

type Caller = Pick<BenchTenant, 'agentId' | 'headers'>;

export const connections = 32;

const json = { 'content-type': 'application/json' };
export const message = 'Where is my order 5512?';
/** How many messages a session has; each connection then begins another one. */
export const sessionLength = 10;

const common = { connections, milliseconds: 3_000, maxRequests: requestsPerRound };

export const get = (url: string, headers: Record<string, string> = {}): Load => ({
  ...common,
  method: 'GET',
  url,
  headers,
});

export const post = (url: string, headers: Record<string, string>, body: object): Load => ({
  ...common,
  method: 'POST',
  url,
  headers: { ...headers, ...json },
  body: JSON.stringify(body),
});

export const pathOf = (operation: keyof typeof operations, agentId = ''): string =>
  operations[operation].path.replace('{agent_id}', agentId);

export const invoke = (url: string, { agentId, headers }: Caller, text = message): Load =>
  post(url + pathOf('invokeAgent', agentId), headers, { message: text });

/** Each connection has a session of its own, since the messages of one are answered one after another. */
export const invokeInSession = (url: string, { agentId, headers }: Caller): Load =>
  post(url + pathOf('invokeAgent', agentId), headers, {
    message,
    context: { session_id: `{unique:${sessionLength}}` },
  });

export const invokeWithKey = (url: string, { agentId, headers }: Caller): Load =>
  post(
    url + pathOf('invokeAgent', agentId),
    { ...headers, 'idempotency-key': '{unique:1}' },
    { message },
  );

/** What the bare server of Invoke is sent. */
export const insertOne = (url: string): Load => post(url, {}, { message });
