/** A `fetch` for libraries that uses `guardedRequest` and fails if a response is too large. */
import { guardedRequest } from './guarded-request.js';
import { limitStream, type StreamLimits } from './limit-stream.js';
import type { TargetPolicy } from './target-address.js';
import { toFetch } from './to-fetch.js';

interface GuardedFetchOptions extends TargetPolicy {
  limits: StreamLimits;
}

export function createGuardedFetch({ limits, ...policy }: GuardedFetchOptions): typeof fetch {
  return toFetch(async (url, request) => {
    const response = await guardedRequest(url, { ...policy, ...request, maxBytes: limits.bytes });
    const isEventStream = response.headers['content-type']?.includes('text/event-stream') ?? false;
    return { ...response, pieces: limitStream(response.body, limits, { isEventStream }) };
  });
}
