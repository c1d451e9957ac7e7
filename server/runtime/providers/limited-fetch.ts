/** The `fetch` of the model providers' libraries, which themselves take whatever is sent. */
import { limitStream } from '../../lib/limit-stream.js';
import { maxError, maxModelStream } from '../limits.js';

export const limitedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (!response.body) return response;
  const body = response.ok
    ? limitStream(response.body, maxModelStream, { isEventStream: true })
    : beginningOf(response.body);
  return new Response(ReadableStream.from(body), response);
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
