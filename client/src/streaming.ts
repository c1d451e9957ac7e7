/** Streamed invocations: events as they happen, then the complete result. Lost connections are resumed. */
import { attachResponse, type WithResponse } from './api-promise.js';
import { Delivered } from './delivered.js';
import { ApiError, createConnectionError, isPermanent, toClientError } from './errors.js';
import type { ErrorDetail } from './generated/schema.js';
import { streamStatuses } from './generated/service.js';
import type { InvocationDelta, InvocationResult, InvocationStreamEvent } from './invocation.js';
import { createResponseError, isEventStream, parseResponse } from './response.js';
import { calculateRetryDelay, shouldRetry } from './retries.js';
import { sleep, startTimeout } from './timeout.js';

/**
 * `for await` iterates over the pieces of the reply. The request is sent when the first piece or the result is read. A
 * lost connection is resumed, and an invocation that lost its instance goes on, so that no piece is missing or repeated.
 * Leaving the loop cancels the invocation.
 */
export interface InvocationStream extends AsyncIterable<InvocationDelta> {
  /** All events: `delta` and `tool`, and `done` at the end. Read either the events or the pieces. */
  events: () => AsyncGenerator<InvocationStreamEvent, void>;
  /** Reads the rest of the stream and resolves to the complete result, as a call without `stream` does. */
  result: () => Promise<InvocationResult>;
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
  let result: InvocationResult | undefined;
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
    const delivered = new Delivered();
    let lostBy: unknown;
    /** Sends the request anew, with its key: the service goes on, after the text and tool calls that it has stored. */
    const startOver = (reason: unknown) => {
      lostBy = reason;
      lastId = undefined;
      delivered.restart();
    };
    const deliver = (event: InvocationStreamEvent) => {
      const added = delivered.add(event);
      if (added === null) {
        // Neither resumed nor cancelled: with the same key, the caller can still get the reply of this run.
        isResumable = false;
        throw lostBy;
      }
      if (added) retries = 0;
      return added;
    };
    try {
      for (let connection = open(); ; connection = connect(lastId)) {
        const opened = await connection.catch((error: unknown) => {
          // Nothing is known of the last event.
          const isUnknown = delivered.hasCalls && error instanceof ApiError && error.status === 409;
          if (!isUnknown || error.retryable === false || retries >= maxRetries) return fail(error);
          startOver(error);
          onRetry();
          return undefined;
        });
        if (!opened) continue;
        const { response, limit } = opened;
        const { body, headers } = response;
        let retryAfter: number | undefined;
        try {
          const onChunk = () => {
            limit.restart(timeout);
          };
          const isStream = body && isEventStream(headers.get('content-type'));
          const received = isStream ? readEvents(body, onChunk) : readStored(response);
          for await (const { id, event, data } of received) {
            // The contract defines the data of each event.
            if (event === 'error') throw streamError(data as ErrorDetail | null, headers);
            lastId = id;
            isResumable = !!id;
            if (!/^(delta|tool|done)$/.test(event)) continue;
            const added = deliver({ id, event, data } as InvocationStreamEvent);
            if (added?.event === 'done') {
              result = added.data;
              // Reading the body to its end allows the connection to be reused.
              limit.restart(endOfStreamTimeoutMs);
            }
            if (added) yield added;
          }
          requireResult();
          return;
        } catch (error) {
          if (result) return;
          const reason = toClientError(error, limit.signal, host);
          // The service sends the headers at once, so a failure before the first event is what a status would have been.
          // A later one can be repeated if the instance was lost and the run goes on.
          const isRejected = reason instanceof ApiError;
          const mayRetry = isRejected
            ? shouldRetry('POST', reason) &&
              (delivered.isEmpty || (delivered.hasCalls && reason.code === 'unavailable'))
            : !isPermanent(reason);
          if (!isResumable || retries >= maxRetries || !mayRetry) fail(reason);
          if (isRejected) {
            ({ retryAfter } = reason);
            startOver(reason);
          }
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
  id?: string | undefined;
  event: string;
  data: unknown;
}

/** The retry of a request that has completed gets the stored response, which is not a stream. */
async function* readStored(response: Response): AsyncGenerator<ServerSentEvent, void> {
  const data = (await parseResponse(response)).data as InvocationResult;
  yield { event: 'delta', data: { text: data.response } };
  yield { event: 'done', data };
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
