/** Sends responses with `writeHead` and `end`: `res.json` of Express costs a seventh of the throughput. */
import type { ServerResponse } from 'node:http';

const commonHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};

const longResponse = 65_536;
/** A client that reads nothing for this long is gone, even if its connection is still open. */
export const stallTimeoutMs = 60_000;

export type ResponseHeaders = Record<string, string | number>;

export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers?: ResponseHeaders,
): void {
  sendSerialised(res, status, JSON.stringify(body), headers);
}

export function sendSerialised(
  res: ServerResponse,
  status: number,
  text: string,
  headers?: ResponseHeaders,
): void {
  res.writeHead(status, {
    ...commonHeaders,
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  // A client that does not read a long response would keep it in memory for as long as its connection is open.
  if (text.length > longResponse) res.setTimeout(stallTimeoutMs, () => res.destroy());
  res.end(text);
}
