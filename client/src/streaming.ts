/** Streamed invocations: pieces of the reply as they are generated, then the whole result. */
import { attachResponse, type WithResponse } from './api-promise.js';
import { createConnectionError, toClientError } from './errors.js';
import type { ErrorDetail, Invocation, InvocationDeltaEvent } from './generated/schema.js';
import { streamStatuses } from './generated/service.js';
import type { ApiResponse } from './request.js';
import { createApiError, parseResponse } from './response.js';

export type InvocationDelta = InvocationDeltaEvent['data'];

/**
 * The pieces of a reply, with `for await`. Leaving the loop cancels the invocation. The request is sent when the first
 * piece or the result is asked for.
 */
export interface InvocationStream extends AsyncIterable<InvocationDelta> {
  /** The whole result, as the plain form gives it. Reads what is left of the stream. */
  result: () => Promise<Invocation>;
  /** The stream together with the response that it arrives in, as soon as that begins. */
  withResponse: () => Promise<WithResponse<InvocationStream>>;
}

/** The service ends a stream right after its last event; after this time its connection is given up. */
const endOfStreamTimeoutMs = 1_000;

export function createInvocationStream(
  send: () => Promise<ApiResponse>,
  host: string,
): InvocationStream {
  let sent: Promise<ApiResponse> | undefined;
  let result: Invocation | undefined;
  let failure: unknown;
  const fail = (error: unknown): never => {
    failure = error;
    throw error;
  };
  const open = () => (sent ??= send());
  const requireResult = () => result ?? fail(failure ?? createConnectionError(host));

  async function* readDeltas(): AsyncGenerator<InvocationDelta, void> {
    const apiResponse = await open().catch(fail);
    const { response, text, timeout } = apiResponse;
    try {
      if (text !== undefined || !response.body) {
        // The retry of a request that has completed gets the stored response, which is not a stream.
        result = parseResponse(apiResponse) as Invocation;
        yield { text: result.response };
        return;
      }
      for await (const { event, data } of readEvents(response.body, timeout.restart)) {
        // The contract says what the data of each event is.
        if (event === 'delta') yield data as InvocationDelta;
        if (event === 'error') throw streamError(data as ErrorDetail | null, response.headers);
        if (event === 'done') {
          result = data as Invocation;
          // Reading to the end of the body lets the connection be used again.
          timeout.restart(endOfStreamTimeoutMs);
        }
      }
      requireResult();
    } catch (error) {
      if (!result) fail(toClientError(error, timeout.signal, host));
    } finally {
      timeout.stop();
      if (!result) timeout.abort();
    }
  }

  const deltas = readDeltas();
  const stream: InvocationStream = {
    [Symbol.asyncIterator]: () => deltas,
    result: async () => {
      while (!(await deltas.next()).done);
      return requireResult();
    },
    withResponse: async () => {
      const apiResponse = await open();
      if (!apiResponse.response.ok) parseResponse(apiResponse);
      return attachResponse(stream, apiResponse);
    },
  };
  return stream;
}

interface ServerSentEvent {
  event: string | undefined;
  data: unknown;
}

/** The events of a stream; `onChunk` is called for all that arrives, comments included. */
async function* readEvents(
  body: NonNullable<Response['body']>,
  onChunk: () => void,
): AsyncGenerator<ServerSentEvent, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onChunk();
    const blocks = (buffer + value).split('\n\n');
    buffer = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event, json] = /^event: (\w+)\ndata: (.+)/s.exec(block) ?? [];
      // Any other block is a comment that keeps the connection alive.
      if (json !== undefined) yield { event, data: JSON.parse(json) };
    }
  }
}

/** The status of the response was sent before the error happened, so it is derived from the code. */
function streamError(detail: ErrorDetail | null, headers: Headers) {
  return createApiError(detail, headers, streamStatuses[detail?.code ?? ''] ?? 500);
}
