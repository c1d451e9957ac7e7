/** Makes responses of MCP servers end with an answer, whatever they end with. */

/**
 * The client waits for the answer to a request even when the response has ended without one. So whatever a stream ends
 * with, an error for its request is appended; the client ignores it if it has an answer already.
 */
export function answeringFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    // The stream for what a server sends by itself: nothing that a tool needs.
    if (init?.method === 'GET') return new Response(null, { status: 405 });
    const response = await send(input, init);
    const isStream = response.headers.get('content-type')?.includes('text/event-stream');
    const id = requestIdIn(init?.body);
    if (!isStream || !response.body || id === undefined) return response;
    return new Response(withFinalError(response.body, id), response);
  };
}

function requestIdIn(body: unknown): number | undefined {
  if (typeof body !== 'string') return undefined;
  const { id } = JSON.parse(body) as { id?: unknown };
  return typeof id === 'number' ? id : undefined;
}

function withFinalError(body: ReadableStream<Uint8Array>, id: number): ReadableStream<Uint8Array> {
  const error = { code: -32_000, message: 'the server ended its response without an answer' };
  const event = `\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`;
  async function* read() {
    try {
      yield* body;
    } catch {
      // Said by the error that follows.
    }
    yield new TextEncoder().encode(event);
  }
  return ReadableStream.from(read());
}
