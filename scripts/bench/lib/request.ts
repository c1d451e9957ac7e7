/** Encodes the requests of a load for HTTP/1.1. */
import { randomBytes } from 'node:crypto';

export interface RequestOptions {
  method: string;
  url: string;
  /**
   * `{unique:5}` in a header or in the body stands for a text that is renewed after five requests, and that no other
   * connection sends.
   */
  headers: Record<string, string>;
  body?: string;
}

const placeholder = /\{unique:(\d+)\}/;

/** Returns what one connection sends, request by request. */
export function requestsOf(options: RequestOptions): () => Buffer | string {
  const connection = randomBytes(8).toString('hex');
  // The texts between placeholders are at even places, and how often each placeholder changes at odd ones.
  const parts = encode(options).split(placeholder);
  if (parts.length === 1) {
    const encoded = Buffer.from(parts.join(''));
    return () => encoded;
  }
  let count = -1;
  return () => {
    count += 1;
    return parts
      .map((part, place) => (place % 2 === 0 ? part : uniqueText(connection, count, Number(part))))
      .join('');
  };
}

/** Always of the same length. */
function uniqueText(connection: string, count: number, every: number): string {
  return `${connection}-${String(Math.floor(count / every)).padStart(8, '0')}`;
}

function encode({ method, url, headers, body = '' }: RequestOptions): string {
  const { host, pathname, search } = new URL(url);
  const sample = uniqueText('0'.repeat(16), 0, 1);
  const length = Buffer.byteLength(body.replaceAll(new RegExp(placeholder, 'g'), sample));
  const allHeaders = {
    host,
    ...headers,
    ...(body === '' ? {} : { 'content-length': String(length) }),
  };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${pathname}${search} HTTP/1.1`, ...lines, '', body].join('\r\n');
}
