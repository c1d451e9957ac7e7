/** The `fetch` of the model providers' libraries, which themselves take whatever is sent. */
import { limitStream } from '../../lib/net/limit-stream.js';
import { maxError, maxModelStream } from '../limits.js';

/** The libraries tell the headers of a response, but not its status. So it becomes one of them. */
export const statusHeader = 'agent-hosting-response-status';

export const limitedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (!response.body) return response;
  const body = response.ok
    ? limitStream(response.body, maxModelStream, { isEventStream: true })
    : beginningOf(response.body);
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  headers.set(statusHeader, String(status));
  return new Response(ReadableStream.from(body), { status, statusText, headers });
};

/** The status is known, so an error is cut instead of refused. */
async function* beginningOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = maxError.bytes;
  for await (const chunk of body) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}
