/** Gives the MCP client one answer to each request, checked before the client parses it, whatever else the server sends. */
import { readEvents } from '../../lib/net/event-stream.js';
import { ResponseTooLarge } from '../../lib/net/limit-stream.js';
import { maxMcp } from '../limits.js';

export function answeringFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    // The stream for what a server sends by itself: nothing that a tool needs.
    if (init?.method === 'GET') return new Response(null, { status: 405 });
    const response = await send(input, init);
    const id = requestIdIn(init?.body);
    const type = response.headers.get('content-type') ?? '';
    if (!response.ok || !response.body || id === undefined) return response;
    if (type.includes('text/event-stream')) {
      return withAnswer(response, await answerAmong(response.body, id), id);
    }
    if (type.includes('application/json')) return withAnswer(response, await response.text(), id);
    return response;
  };
}

function requestIdIn(body: unknown): number | undefined {
  if (typeof body !== 'string') return undefined;
  const { id } = JSON.parse(body) as { id?: unknown };
  return typeof id === 'number' ? id : undefined;
}

/** The event with the answer to the request; undefined if the stream ends without one. */
async function answerAmong(
  body: ReadableStream<Uint8Array>,
  id: number,
): Promise<string | undefined> {
  try {
    for await (const { data } of readEvents(body)) {
      if (isAnswer(parse(data), id)) return data;
    }
  } catch (error) {
    if (error instanceof ResponseTooLarge) throw error;
    // A lost connection is an answer that does not come.
  }
  return undefined;
}

interface Answer {
  id: number;
  result?: unknown;
}

function isAnswer(message: unknown, id: number): message is Answer {
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

/** The client waits for an answer even when the response has ended without one, so it gets an error then. */
function withAnswer({ headers, status }: Response, text: string | undefined, id: number): Response {
  const message = text === undefined ? undefined : parse(text);
  const problem = !isAnswer(message, id)
    ? 'the server ended its response without an answer'
    : itemsIn(message) > maxMcp.items
      ? `the result has more than ${maxMcp.items} items`
      : undefined;
  const error = { code: -32_000, message: problem };
  const answer = problem === undefined ? text : JSON.stringify({ jsonrpc: '2.0', id, error });
  const session = headers.get('mcp-session-id');
  return new Response(answer ?? '', {
    status,
    headers: {
      'content-type': 'application/json',
      ...(session === null ? {} : { 'mcp-session-id': session }),
    },
  });
}

/** The client checks each item against all kinds of content, which takes long. */
function itemsIn({ result }: Answer): number {
  const { content } = Object(result) as { content?: unknown };
  return Array.isArray(content) ? content.length : 0;
}
