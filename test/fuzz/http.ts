/** Sends a request exactly as given, without a client that would correct it, and formats it as a curl command. */
import { Agent, request as httpRequest } from 'node:http';
import type { Operation } from './contract.js';

export interface FuzzRequest {
  operation: Operation;
  method: string;
  /** The path and the query, encoded. */
  target: string;
  path: Record<string, string>;
  query: Record<string, string>;
  /** By parameter name in the contract. */
  headers: Record<string, string>;
  /** JSON; undefined if there is none, or if raw bytes are sent. */
  body?: unknown;
  payload?: string | Buffer;
  key: string;
}

export interface Answer {
  status: number;
  /** By lower-case name. */
  headers: Record<string, string>;
  text: string;
  /** Parsed, if it is JSON. */
  body: unknown;
}

export type Transport = (request: FuzzRequest) => Promise<Answer>;

let sentRequests = 0;

/** Each request claims a different address, since failed authentication is limited per address. */
function nextAddress(): string {
  sentRequests += 1;
  return `198.18.${(sentRequests >> 8) & 255}.${sentRequests & 255}`;
}

export function transportTo(url: string): Transport & { close: () => void } {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true });
  const send: Transport = (request) =>
    new Promise((resolve, reject) => {
      const headers = { ...headersOf(request), 'X-Forwarded-For': nextAddress() };
      const { method, target: path, payload } = request;
      const sent = httpRequest({ hostname, port, agent, method, path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const received = Object.entries(response.headers).map(([name, value]) => [
            name,
            String(value),
          ]);
          resolve(
            answerOf(
              response.statusCode ?? 0,
              Object.fromEntries(received) as Answer['headers'],
              text,
            ),
          );
        });
      });
      sent.on('error', reject);
      sent.end(payload);
    });
  return Object.assign(send, {
    close: () => {
      agent.destroy();
    },
  });
}

export function answerOf(status: number, headers: Answer['headers'], text: string): Answer {
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  return { status, headers, text, body: isJson ? parsed(text) : undefined };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function headersOf({ headers, payload, key }: FuzzRequest): Record<string, string> {
  return {
    ...(key === '' ? {} : { Authorization: `Bearer ${key}` }),
    ...(payload === undefined
      ? {}
      : {
          'Content-Type': 'application/json',
          'Content-Length': String(Buffer.byteLength(payload)),
        }),
    ...headers,
  };
}

/** The request as a shell command. A body that cannot be quoted is piped to curl. */
export function curlLine(url: string, request: FuzzRequest, mainKey: string): string {
  const { method, target, payload, key } = request;
  const headers = Object.entries(headersOf(request)).filter(([name]) => name !== 'Content-Length');
  const shown = headers.map(([name, value]) => {
    const text =
      name === 'Authorization' ? `Bearer ${key === mainKey ? '$KEY' : '$OTHER_KEY'}` : value;
    return name === 'Authorization'
      ? `-H "${name}: ${text}"`
      : `-H ${quoted(`${name}${text === '' ? ';' : `: ${text}`}`)}`;
  });
  const isText = typeof payload === 'string' && payload.length < 4000;
  const data =
    payload === undefined
      ? []
      : isText
        ? ['--data-binary', quoted(payload)]
        : ['--data-binary', '@-'];
  const piped =
    payload === undefined || isText
      ? ''
      : `echo ${Buffer.from(payload).toString('base64')} | base64 -d | `;
  const parts = [
    'curl',
    '-i',
    '-g',
    '--path-as-is',
    '-X',
    method,
    quoted(`${url}${target}`),
    ...shown,
    ...data,
  ];
  return piped + parts.join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
