/** Sends an HTTP request to a server that may be hostile: whatever it responds takes little time and has limits. */
import http, {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import type { SecureContext } from 'node:tls';
import { ResponseTooLarge } from './limit-stream.js';
import { type PacedAgents, pacedSocketOf } from './paced-agents.js';

export interface BoundedRequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal: AbortSignal;
  /**
   * The most that the caller reads of a body. Twice as much may arrive, which allows for headers, TLS and the framing
   * of chunks.
   */
  maxBytes: number;
}

interface Connection {
  agents: PacedAgents;
  lookup?: LookupFunction;
  rejectUnauthorized?: boolean;
  secureContext?: SecureContext;
}

export interface BoundedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** The raw body, not decompressed. A caller that does not read it to the end must destroy it. */
  body: Readable;
}

const maxInformational = 16;
const bytesBesidesBody = 65_536;

/** Follows no redirects. The promise and the body fail with ResponseTooLarge above the limits. */
export async function boundedRequest(
  url: URL,
  { method = 'GET', headers = {}, body, signal, maxBytes }: BoundedRequestOptions,
  { agents, ...connection }: Connection,
): Promise<BoundedResponse> {
  const options = {
    method,
    headers: {
      'accept-encoding': 'identity',
      ...headers,
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    },
    signal,
    ...connection,
  };
  const request =
    url.protocol === 'https:'
      ? https.request(url, { ...options, agent: agents.secure })
      : http.request(url, { ...options, agent: agents.plain });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    let received: IncomingMessage | undefined;
    request.once('response', (response) => {
      received = response;
      resolve(response);
    });
    limitResponse(request, 2 * maxBytes + bytesBesidesBody, (error) => {
      // Here, since the rest of the piece, which may contain the response, is still parsed.
      reject(error);
      (received ?? request).destroy(error);
    });
    request.on('error', reject);
    // A response that switches protocols closes the connection without either event.
    request.once('close', () => {
      reject(new Error('The connection closed before a response was received.'));
    });
    request.end(body);
  });
  return { status: response.statusCode ?? 0, headers: response.headers, body: response };
}

function limitResponse(
  request: ClientRequest,
  maxBytes: number,
  fail: (error: ResponseTooLarge) => void,
): void {
  request.once('socket', (connection) => {
    pacedSocketOf(connection)?.limitResponse(maxBytes, () => {
      fail(new ResponseTooLarge(`More than ${maxBytes} bytes were received.`));
    });
  });
  let informational = 0;
  request.on('information', () => {
    informational += 1;
    if (informational > maxInformational) {
      fail(
        new ResponseTooLarge(
          `More than ${maxInformational} informational responses were received.`,
        ),
      );
    }
  });
}
