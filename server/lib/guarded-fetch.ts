/** A `fetch` for libraries that goes through `guardedRequest`, and gives up on a response that is too large. */
import { Readable, Transform } from 'node:stream';
import { guardedRequest } from './guarded-request.js';
import type { TargetPolicy } from './target-address.js';

export interface GuardedFetchOptions extends TargetPolicy {
  maxBytes: number;
}

export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';
}

/** Statuses whose responses have no body, which `Response` insists on. */
const bodiless = new Set([204, 205, 304]);

export function createGuardedFetch({ maxBytes, ...policy }: GuardedFetchOptions): typeof fetch {
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
    const limited = body.pipe(limitTo(maxBytes));
    body.once('error', (error) => limited.destroy(error));
    limited.once('close', () => body.destroy());
    return new Response(Readable.toWeb(limited) as ReadableStream<Uint8Array>, {
      status,
      headers: names,
    });
  };
}

function limitTo(maxBytes: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.length;
      if (size <= maxBytes) done(null, chunk);
      else done(new ResponseTooLarge(`The response is larger than ${maxBytes} bytes.`));
    },
  });
}
