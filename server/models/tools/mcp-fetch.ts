/** A `fetch` that gives the MCP client exactly one checked response to each request, whatever else the server sends. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { readServerSentEvents } from '../../lib/net/event-stream.js';
import { ResponseTooLarge } from '../../lib/net/limit-stream.js';
import { maxMcp } from '../limits.js';
import type { CallOrigin } from './tool.js';

/** What a call says of itself in its `_meta`. */
interface CallMeta {
  /** The same if the call is repeated. */
  key: string;
  origin?: CallOrigin | undefined;
}

const calls = new AsyncLocalStorage<CallMeta>();

/** The calls of tools during the work carry this in their `_meta`, for which the client has no option. */
export function withCallMeta<Result>(meta: CallMeta, work: () => Result): Result {
  return calls.run(meta, work);
}

function withMeta(init: RequestInit | undefined): RequestInit | undefined {
  const call = calls.getStore();
  if (call === undefined || typeof init?.body !== 'string') return init;
  const message = JSON.parse(init.body) as { method?: unknown; params?: object };
  if (message.method !== 'tools/call') return init;
  const params = { ...message.params, _meta: metaOf(call) };
  return { ...init, body: JSON.stringify({ ...message, params }) };
}

/** The protocol wants a prefix that belongs to whoever defines the names. */
function metaOf({ key, origin }: CallMeta): Record<string, string> {
  const { requestId, userId = null, sessionId = null } = origin ?? {};
  return {
    'agent-hosting/idempotency-key': key,
    ...(requestId === undefined ? {} : { 'agent-hosting/request-id': requestId }),
    ...(userId === null ? {} : { 'agent-hosting/user-id': userId }),
    ...(sessionId === null ? {} : { 'agent-hosting/session-id': sessionId }),
  };
}

export function createMcpFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    // The client would open a stream for messages that the server initiates, which tools do not need.
    if (init?.method === 'GET') return new Response(null, { status: 405 });
    const response = await send(input, withMeta(init));
    const id = requestIdIn(init?.body);
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok || !response.body || id === undefined) return response;
    if (type.includes('text/event-stream')) {
      return toSingleResponse(response, await findRpcResponse(response.body, id), id);
    }
    if (type.includes('application/json')) {
      return toSingleResponse(response, await response.text(), id);
    }
    return response;
  };
}

function requestIdIn(body: unknown): number | undefined {
  if (typeof body !== 'string') return undefined;
  const { id } = JSON.parse(body) as { id?: unknown };
  return typeof id === 'number' ? id : undefined;
}

/** The event with the response to the request; undefined if the stream ends without one. */
async function findRpcResponse(
  body: ReadableStream<Uint8Array>,
  id: number,
): Promise<string | undefined> {
  try {
    for await (const { data } of readServerSentEvents(body)) {
      if (isRpcResponse(parse(data), id)) return data;
    }
  } catch (error) {
    if (error instanceof ResponseTooLarge) throw error;
    // A lost connection counts as a missing response.
  }
  return undefined;
}

interface RpcResponse {
  id: number;
  result?: unknown;
}

function isRpcResponse(message: unknown, id: number): message is RpcResponse {
  const { id: own, method } = Object(message) as { id?: unknown; method?: unknown };
  return own === id && method === undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Without a response the client would wait forever, so it gets an error instead. */
function toSingleResponse(
  { headers, status }: Response,
  text: string | undefined,
  id: number,
): Response {
  const message = text === undefined ? undefined : parse(text);
  const problem = !isRpcResponse(message, id)
    ? 'the server ended its response without an answer'
    : itemsIn(message) > maxMcp.items
      ? `the result has more than ${maxMcp.items} items`
      : undefined;
  const error = { code: -32_000, message: problem };
  const body = problem === undefined ? text : JSON.stringify({ jsonrpc: '2.0', id, error });
  const session = headers.get('mcp-session-id');
  return new Response(body ?? '', {
    status,
    headers: {
      'content-type': 'application/json',
      ...(session === null ? {} : { 'mcp-session-id': session }),
    },
  });
}

/** Limited because the client checks each item against all kinds of content, which takes long. */
function itemsIn({ result }: RpcResponse): number {
  const { content } = Object(result) as { content?: unknown };
  return Array.isArray(content) ? content.length : 0;
}
