/** Sends responses with `writeHead` and `end`: Express's `res.json` costs a seventh of the throughput. */
import type { ServerResponse } from 'node:http';
import { unavailable } from '../../contract/errors.js';
import type { Reservation } from '../../lib/async/bytes-in-flight.js';

const commonHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};

const longResponse = 65_536;
/** A client that reads nothing for this long is considered gone, even if its connection is still open. */
export const stallTimeoutMs = 60_000;

/** Calls the listener when the response has ended, complete or not. */
export function whenClosed(res: ServerResponse, listener: () => void): void {
  if (res.closed) listener();
  else res.once('close', listener);
}

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
  const length = Buffer.byteLength(text);
  res.writeHead(status, { ...commonHeaders, 'Content-Length': length, ...headers });
  // A client that does not read a long response would otherwise keep it in memory while its connection is open.
  if (text.length > longResponse) res.setTimeout(stallTimeoutMs, () => res.destroy());
  res.end(text);
}

/** Reserves memory for a long text until the client has read it. Throws if the account has no memory left. */
export function reserveUntilSent(res: ServerResponse, text: string, memory: Reservation): void {
  if (text.length <= longResponse) return;
  if (!memory.grow(text.length)) throw unavailable(undefined);
  whenClosed(res, memory.release);
}
