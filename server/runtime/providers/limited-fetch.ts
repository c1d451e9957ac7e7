/** A `fetch` with response limits for the model providers' libraries, which have none. */
import { limitStream } from '../../lib/net/limit-stream.js';
import { maxError, maxModelStream } from '../limits.js';

/** Carries the status, since the libraries expose the headers of a response but not its status. */
export const statusHeader = 'agent-hosting-response-status';

export const limitedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (!response.body) return response;
  const body = response.ok
    ? limitStream(response.body, maxModelStream, { isEventStream: true })
    : truncate(response.body);
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  headers.set(statusHeader, String(status));
  return new Response(ReadableStream.from(body), { status, statusText, headers });
};

/** A long error body is truncated instead of rejected, since the status matters more. */
async function* truncate(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = maxError.bytes;
  for await (const chunk of body) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}
