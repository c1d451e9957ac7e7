/** A `fetch` for libraries that uses `guardedRequest` and fails if a response is too large. */
import { guardedRequest } from './guarded-request.js';
import { limitStream, type StreamLimits } from './limit-stream.js';
import type { TargetPolicy } from './target-address.js';

interface GuardedFetchOptions extends TargetPolicy {
  limits: StreamLimits;
}

/** Statuses for which `Response` does not accept a body. */
const bodiless = new Set([204, 205, 304]);

export function createGuardedFetch({ limits, ...policy }: GuardedFetchOptions): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { status, headers, body } = await guardedRequest(url, {
      ...policy,
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      signal: init.signal ?? new AbortController().signal,
    });
    const names = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    if (bodiless.has(status)) {
      body.destroy();
      return new Response(null, { status, headers: names });
    }
    const isEventStream = headers['content-type']?.includes('text/event-stream') ?? false;
    const pieces = limitStream(body, limits, { isEventStream });
    const stream = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const next = await pieces.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: () => void body.destroy(),
    });
    return new Response(stream, { status, headers: names });
  };
}
