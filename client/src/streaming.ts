/** Streamed invocations: what happens as it happens, then the whole result, also over a connection that breaks. */
import { attachResponse, type WithResponse } from './api-promise.js';
import { createConnectionError, isPermanent, toClientError } from './errors.js';
import type {
  ErrorDetail,
  Invocation,
  InvocationDeltaEvent,
  InvocationEvent,
} from './generated/schema.js';
import { streamStatuses } from './generated/service.js';
import { createResponseError, isEventStream, parseResponse } from './response.js';
import { calculateRetryDelay } from './retries.js';
import { sleep, startTimeout } from './timeout.js';

export type InvocationDelta = InvocationDeltaEvent['data'];

/** An event of a stream, told apart by `event`. An `error` is thrown instead. */
export type InvocationStreamEvent = Exclude<InvocationEvent, { event: 'error' }>;

/**
 * The pieces of a reply, with `for await`. The request is sent when the first piece or the result is asked for. A lost
 * connection is resumed where it was, so that nothing is missing or comes twice. Leaving the loop cancels the invocation.
 */
export interface InvocationStream extends AsyncIterable<InvocationDelta> {
  /** The same with everything that happens: `delta` and `tool` events, and `done` at the end. Read this or the pieces. */
  events: () => AsyncGenerator<InvocationStreamEvent, void>;
  /** The whole result, as the plain form gives it. Reads what is left of the stream. */
  result: () => Promise<Invocation>;
  /** The stream together with the response that it arrives in, as soon as that begins. */
  withResponse: () => Promise<WithResponse<InvocationStream>>;
}

export interface StreamLimits {
  host: string;
  /** How often in succession a lost connection is resumed in vain. */
  maxRetries: number;
  /** How many milliseconds a stream may be idle. */
  timeout: number;
  signal: AbortSignal | undefined;
}

/** The service ends a stream right after its last event; after this time its connection is given up. */
const endOfStreamTimeoutMs = 1_000;

export function createInvocationStream(
  send: (signal: AbortSignal, lastEventId?: string, isLeaving?: boolean) => Promise<Response>,
  { host, maxRetries, timeout, signal }: StreamLimits,
): InvocationStream {
  let result: Invocation | undefined;
  let failure: unknown;
  const fail = (error: unknown): never => {
    failure = error;
    throw error;
  };
  const connect = async (lastEventId?: string, isLeaving?: boolean) => {
    // Until there is a response, each attempt has its own time-out.
    const limit = startTimeout(0, isLeaving ? undefined : signal, `No answer from ${host}`);
    try {
      const response = await send(limit.signal, lastEventId, isLeaving);
      limit.restart(timeout);
      return { response, limit };
    } catch (error) {
      limit.stop();
      throw error;
    }
  };
  let first: ReturnType<typeof connect> | undefined;
  const open = () => (first ??= connect());
  const requireResult = () => result ?? fail(failure ?? createConnectionError(host));

  async function* readStream(): AsyncGenerator<InvocationStreamEvent, void> {
    let lastId: string | undefined;
    // Without an event there is nothing that could come twice; without its id, the rest cannot be asked for.
    let isResumable = !signal?.aborted;
    try {
      for (let retries = 0; ; retries += 1) {
        const connection = retries || lastId ? connect(lastId) : open();
        const { response, limit } = await connection.catch(fail);
        const { body, headers } = response;
        try {
          if (!body || !isEventStream(headers.get('content-type'))) {
            // The retry of a request that has completed gets the stored response, which is not a stream.
            result = (await parseResponse(response)).data as Invocation;
            yield { event: 'delta', data: { text: result.response } };
            yield { event: 'done', data: result };
            return;
          }
          const onChunk = () => {
            limit.restart(timeout);
          };
          for await (const { id, event, data } of readEvents(body, onChunk)) {
            retries = 0;
            lastId = id;
            isResumable = !!id;
            // The contract says what the data of each event is.
            if (event === 'error') throw streamError(data as ErrorDetail | null, headers);
            if (event === 'done') {
              result = data as Invocation;
              // Reading to the end of the body lets the connection be used again.
              limit.restart(endOfStreamTimeoutMs);
            }
            if (/^(delta|tool|done)$/.test(event)) {
              yield { id, event, data } as InvocationStreamEvent;
            }
          }
          requireResult();
          return;
        } catch (error) {
          if (result) return;
          const reason = toClientError(error, limit.signal, host);
          if (!isResumable || retries >= maxRetries || isPermanent(reason)) fail(reason);
          failure = undefined;
        } finally {
          limit.stop();
          if (!result) limit.abort();
        }
        await sleep(calculateRetryDelay(retries), signal);
      }
    } finally {
      // The service waits for a client that may have lost its connection; this one says that it does not come back.
      if (!result && isResumable && (!failure || signal?.aborted)) {
        connect(lastId ?? '0', true).then(
          ({ limit }) => {
            limit.abort();
          },
          () => undefined,
        );
      }
    }
  }

  const events = readStream();
  async function* readDeltas(): AsyncGenerator<InvocationDelta, void> {
    for await (const { event, data } of events) if (event === 'delta') yield data;
  }
  const deltas = readDeltas();
  const stream: InvocationStream = {
    [Symbol.asyncIterator]: () => deltas,
    events: () => events,
    result: async () => {
      while (!(await events.next()).done);
      return requireResult();
    },
    withResponse: async () => {
      return attachResponse(stream, (await open()).response);
    },
  };
  return stream;
}

interface ServerSentEvent {
  id: string | undefined;
  event: string;
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
      const [, id, event = '', json] =
        /^(?:id: (\S+)\n)?event: (\w+)\ndata: (.+)/s.exec(block) ?? [];
      // Any other block is a comment that keeps the connection alive.
      if (json !== undefined) yield { id, event, data: JSON.parse(json) };
    }
  }
}

/** The status of the response was sent before the error happened, so it is derived from the code. */
function streamError(detail: ErrorDetail | null, headers: Headers) {
  return createResponseError(detail, {
    headers,
    status: streamStatuses[detail?.code ?? ''] ?? 500,
  });
}
