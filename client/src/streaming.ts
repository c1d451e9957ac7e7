/** Streamed invocations: events as they happen, then the complete result. Lost connections are resumed. */
import { attachResponse, type WithResponse } from './api-promise.js';
import { ApiError, createConnectionError, isPermanent, toClientError } from './errors.js';
import type {
  ErrorDetail,
  Invocation,
  InvocationDeltaEvent,
  InvocationEvent,
} from './generated/schema.js';
import { streamStatuses } from './generated/service.js';
import { createResponseError, isEventStream, parseResponse } from './response.js';
import { calculateRetryDelay, shouldRetry } from './retries.js';
import { sleep, startTimeout } from './timeout.js';

export type InvocationDelta = InvocationDeltaEvent['data'];

/** An event of a stream; `event` is the discriminator. An `error` event is thrown instead. */
export type InvocationStreamEvent = Exclude<InvocationEvent, { event: 'error' }>;

/**
 * `for await` iterates over the pieces of the reply. The request is sent when the first piece or the result is read. A
 * lost connection is resumed, so that no piece is missing or repeated. Leaving the loop cancels the invocation.
 */
export interface InvocationStream extends AsyncIterable<InvocationDelta> {
  /** All events: `delta` and `tool`, and `done` at the end. Read either the events or the pieces. */
  events: () => AsyncGenerator<InvocationStreamEvent, void>;
  /** Reads the rest of the stream and resolves to the complete result, as a call without `stream` does. */
  result: () => Promise<Invocation>;
  /** Resolves to the stream and its response as soon as the headers have arrived. */
  withResponse: () => Promise<WithResponse<InvocationStream>>;
}

export interface StreamLimits {
  host: string;
  /** How many consecutive attempts to begin or resume the stream may fail. */
  maxRetries: number;
  /** How many milliseconds the stream may be idle. */
  timeout: number;
  signal: AbortSignal | undefined;
}

/** The service closes a stream right after its last event; a connection that stays open longer is aborted. */
const endOfStreamTimeoutMs = 1_000;

interface StreamRequest {
  lastEventId: string | undefined;
  isCancelling: boolean;
  signal: AbortSignal;
  maxRetries: number;
  onRetry: () => void;
}

export function createInvocationStream(
  send: (request: StreamRequest) => Promise<Response>,
  { host, maxRetries, timeout, signal }: StreamLimits,
): InvocationStream {
  let result: Invocation | undefined;
  let failure: unknown;
  const fail = (error: unknown): never => {
    failure = error;
    throw error;
  };
  // Since something last arrived, whether they were sent here or by the transport.
  let retries = 0;
  const onRetry = () => {
    retries += 1;
  };
  const connect = async (lastEventId?: string, isCancelling = false) => {
    // Until there is a response, each attempt has its own time-out.
    const limit = startTimeout(0, isCancelling ? undefined : signal, `No response from ${host}`);
    try {
      const response = await send({
        ...{ lastEventId, isCancelling, onRetry },
        signal: limit.signal,
        maxRetries: maxRetries - retries,
      });
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
    // A stream can be repeated before its first event, and resumed after an event that has an id.
    let isResumable = !signal?.aborted;
    try {
      for (let connection = open(); ; connection = connect(lastId)) {
        const { response, limit } = await connection.catch(fail);
        const { body, headers } = response;
        let retryAfter: number | undefined;
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
            // The contract defines the data of each event.
            if (event === 'error') throw streamError(data as ErrorDetail | null, headers);
            retries = 0;
            lastId = id;
            isResumable = !!id;
            if (event === 'done') {
              result = data as Invocation;
              // Reading the body to its end allows the connection to be reused.
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
          // The service sends the headers at once, so a failure before the first event is what a status would have been.
          const isRejected = reason instanceof ApiError;
          const mayRetry = isRejected
            ? !lastId && shouldRetry('POST', reason)
            : !isPermanent(reason);
          if (!isResumable || retries >= maxRetries || !mayRetry) fail(reason);
          if (isRejected) ({ retryAfter } = reason);
          failure = undefined;
        } finally {
          limit.stop();
          if (!result) limit.abort();
        }
        await sleep(calculateRetryDelay(retries, retryAfter), signal);
        onRetry();
      }
    } finally {
      // The service waits for a client that lost its connection. This request cancels the invocation at once.
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

/** `onChunk` is called for everything that arrives, including comments. */
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

/** The response status was sent before the error happened, so the status of the error is derived from its code. */
function streamError(detail: ErrorDetail | null, headers: Headers) {
  return createResponseError(detail, {
    headers,
    status: streamStatuses[detail?.code ?? ''] ?? 500,
  });
}
