/** Fetches a JSON document from an untrusted address, with time and size limits. */
import { guardedRequest } from '../../lib/net/guarded-request.js';
import type { TargetPolicy } from '../../lib/net/target-address.js';

const timeoutMs = 5_000;
const maxBytes = 1_048_576;

/** Rejects if a response with status 200 is not JSON. The body of any other response is discarded. */
export async function fetchJson(
  url: URL,
  targets: TargetPolicy,
): Promise<{ status: number; body: unknown }> {
  const signal = AbortSignal.timeout(timeoutMs);
  const { status, body } = await guardedRequest(url, {
    ...targets,
    signal,
    maxBytes,
    headers: { accept: 'application/json' },
  });
  if (status !== 200) {
    body.destroy();
    return { status, body: undefined };
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes)
      throw new RangeError(`${url.href} answered with more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return { status, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
}
