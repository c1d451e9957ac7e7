/** Makes a `fetch` for libraries from a function that sends a request and limits the response. */
import type { BoundedRequestOptions, BoundedResponse } from './bounded-request.js';

type SentRequest = Omit<BoundedRequestOptions, 'maxBytes'>;

interface LimitedResponse extends BoundedResponse {
  /** What is read of the body. */
  pieces: AsyncGenerator<Uint8Array>;
}

/** Statuses for which `Response` does not accept a body. */
const bodiless = new Set([204, 205, 304]);

export function toFetch(
  send: (url: URL, request: SentRequest) => Promise<LimitedResponse>,
): typeof fetch {
  return async (input, init = {}) => {
    const signal = init.signal ?? new AbortController().signal;
    /** As of `fetch`: whatever fails because of the signal fails with its reason. */
    const unlessAborted = (error: unknown): never => {
      signal.throwIfAborted();
      throw error;
    };
    const url = new URL(input instanceof Request ? input.url : input);
    const { status, headers, body, pieces } = await send(url, {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      signal,
    }).catch(unlessAborted);
    const names = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    if (bodiless.has(status)) {
      body.destroy();
      return new Response(null, { status, headers: names });
    }
    const stream = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const next = await pieces.next().catch(unlessAborted);
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: () => void body.destroy(),
    });
    return new Response(stream, { status, headers: names });
  };
}
