/** `fetch` for the model providers' libraries, which have no limits of their own. */
import type { Readable } from 'node:stream';
import { boundedRequest } from '../../lib/net/bounded-request.js';
import { limitStream, type StreamLimits } from '../../lib/net/limit-stream.js';
import { createPacedAgents } from '../../lib/net/paced-agents.js';
import { toFetch } from '../../lib/net/to-fetch.js';
import { maxEmbeddings, maxError, maxModelStream } from '../limits.js';

/** Carries the status, since the libraries expose the headers of a response but not its status. */
export const statusHeader = 'agent-hosting-response-status';

const agents = createPacedAgents({ keepAlive: true });

const limitedBy = (limits: StreamLimits, { isEventStream }: { isEventStream: boolean }) =>
  toFetch(async (url, request) => {
    const options = { ...request, maxBytes: limits.bytes };
    const { status, headers, body } = await boundedRequest(url, options, { agents });
    return {
      status,
      headers: { ...headers, [statusHeader]: String(status) },
      body,
      pieces:
        status >= 200 && status <= 299
          ? limitStream(body, limits, { isEventStream })
          : truncate(body),
    };
  });

export const modelFetch = limitedBy(maxModelStream, { isEventStream: true });
export const embeddingFetch = limitedBy(maxEmbeddings, { isEventStream: false });

/** A long error body is truncated instead of rejected, since the status matters more. */
async function* truncate(body: Readable): AsyncGenerator<Uint8Array> {
  let left = maxError.bytes;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}
