/** fetch over TLS with custom certificates and a new connection for each request. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import type { Transport } from '../helpers/service/api.js';

/** `cert` is the client's certificate, followed by its intermediate certificates. */
export function httpsFetch(options: https.RequestOptions): Transport {
  return async (address, init) => {
    const request = https.request(address, {
      ...options,
      ...(init.method === undefined ? {} : { method: init.method }),
      headers: Object.fromEntries(new Headers(init.headers)),
      agent: false,
    });
    request.end(init.body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return new Response(await text(response), {
      status: response.statusCode ?? 0,
      headers: Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      ),
    });
  };
}
