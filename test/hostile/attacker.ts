/**
 * The server of a hostile tenant, as a program: its agents and webhooks point to it, and it attacks the service on
 * request. POST /attack with an Attack in JSON responds with an AttackResult when the attack is over.
 */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { json, text } from 'node:stream/consumers';
import { giveWay } from './give-way.js';

export interface HostileRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Attack {
  url: string;
  milliseconds: number;
  connections: number;
  /** Each connection repeats them in order. */
  requests: HostileRequest[];
  /** Sends the requests byte by byte without finishing one, instead of sending them and reading the responses. */
  isSlow?: boolean;
  /** Closes the connection after this time without waiting for the response. */
  abandonAfterMs?: number;
}

export interface AttackResult {
  /** The number of responses per status; `none` if the connection closed first. */
  answers: Record<string, number>;
}

giveWay();

const longAnswer = JSON.stringify({ response: 'x'.repeat(262_000) });
const unfinishedLine = `data: ${'x'.repeat(100)}`;

const behaviours: Record<string, (response: ServerResponse) => Promise<void> | void> = {
  '/hang': () => undefined,
  '/long': (response) => {
    response.setHeader('content-type', 'application/json').end(longAnswer);
  },
  /** An event whose line never ends, in small pieces. */
  '/drip': async (response) => {
    response.setHeader('content-type', 'text/event-stream');
    while (!response.destroyed) {
      if (!response.write(unfinishedLine)) await delay(1);
      await delay(1);
    }
  },
};

const server = http.createServer((request, response) => {
  response.on('error', () => undefined);
  void (async () => {
    if (request.url === '/attack') {
      const result = await run((await json(request)) as Attack);
      response.end(JSON.stringify(result));
      return;
    }
    await text(request);
    await behaviours[request.url ?? '']?.(response);
  })().catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`attacker at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});

async function run(attack: Attack): Promise<AttackResult> {
  const answers: Record<string, number> = {};
  const end = performance.now() + attack.milliseconds;
  const agent = new http.Agent({ keepAlive: true, maxSockets: attack.connections });
  const attempt = attack.isSlow ? drip : send;
  const connection = async (_: unknown, first: number) => {
    for (let n = first; performance.now() < end; n += 1) {
      const request = attack.requests[n % attack.requests.length];
      if (request === undefined) return;
      const answer = await attempt(attack, request, agent, end - performance.now());
      answers[answer] = (answers[answer] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: attack.connections }, connection));
  agent.destroy();
  return { answers };
}

function send(
  { url, abandonAfterMs = Infinity }: Attack,
  { method, path, headers, body = '' }: HostileRequest,
  agent: http.Agent,
  leftMs: number,
): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { hostname, port, method, path, agent, headers: { ...headers, ...length } };
    const request = http.request(options, (response: IncomingMessage) => {
      response
        .on('error', () => undefined)
        .on('close', () => {
          clearTimeout(timer);
          resolve(String(response.statusCode));
        });
      response.resume();
    });
    const timer = setTimeout(() => request.destroy(), Math.min(leftMs, abandonAfterMs));
    request.on('error', () => {
      clearTimeout(timer);
      resolve('none');
    });
    request.end(body);
  });
}

async function drip(
  { url }: Attack,
  { method, path, headers, body = '' }: HostileRequest,
  _agent: http.Agent,
  leftMs: number,
): Promise<string> {
  const { hostname, port, host } = new URL(url);
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}`);
  const all = [`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n');
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  const end = performance.now() + leftMs;
  for (let sent = 0; performance.now() < end && !socket.destroyed; sent += 1) {
    socket.write(all[sent] ?? 'x');
    await delay(20);
  }
  socket.destroy();
  return 'none';
}
