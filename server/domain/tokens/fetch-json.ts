/** Gets a JSON document from an address that somebody else chose, within limits of time and size. */
import { guardedRequest } from '../../lib/guarded-request.js';
import type { TargetPolicy } from '../../lib/target-address.js';

const gracePeriodMs = 5_000;
const maxBytes = 1_048_576;

/** Throws for what is no JSON if the status is 200; other answers have no body of interest. */
export async function fetchJson(
  url: URL,
  targets: TargetPolicy,
): Promise<{ status: number; body: unknown }> {
  const signal = AbortSignal.timeout(gracePeriodMs);
  const { status, body } = await guardedRequest(url, {
    ...targets,
    signal,
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
