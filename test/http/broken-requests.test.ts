/** Methods, headers and bytes that no ordinary client sends, and CORS. */
import { describe, expect, test } from '@jest/globals';
import { expectError } from './error-response.js';
import {
  exchange,
  openSocket,
  parseAnswer,
  requestText,
  untilClosed,
  useBearer,
} from '../helpers/servers/raw-http.js';
import { useAgent, useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);
const agent = useAgent(tenant);
const auth = useBearer(tenant);

const sendRaw = (bytes: string | Buffer) => exchange(service.url, bytes).then(parseAnswer);

describe('a hostile method or header', () => {
  test.each(['PUT', 'POST', 'TRACE', 'PROPFIND'])('%s is a 405 with Allow', async (method) => {
    const answer = await sendRaw(requestText(method, `/v1/agents/${agent.name}`, auth));
    expectError(answer, 'method_not_allowed');
    expect(answer.headers['allow']).toBe('GET, HEAD, PATCH, DELETE, OPTIONS');
  });

  test.each([
    ['FETCH', 'FETCH /v1/agents HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['get', 'get /v1/agents HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'],
  ])('%s, which no path supports, is a 405 and the connection is closed', async (method, bytes) => {
    const answer = await sendRaw(bytes);
    expect(expectError(answer, 'method_not_allowed').message).toContain(
      `does not support ${method}.`,
    );
    expect(answer.headers['allow']).toBe('POST, GET, PATCH, DELETE, HEAD, OPTIONS');
  });

  test('HEAD responds like GET, without the body', async () => {
    const target = `/v1/agents/${agent.name}`;
    const [head, get] = [
      await sendRaw(requestText('HEAD', target, auth)),
      await sendRaw(requestText('GET', target, auth)),
    ];
    expect(head.status).toBe(200);
    expect(head.body).toBe('');
    expect(Object.keys(head.headers)).toEqual(Object.keys(get.headers));
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect((await sendRaw(requestText('HEAD', target))).status).toBe(401);
  });

  test.each([
    ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['garbage', Buffer.from(Array.from({ length: 300 }, (_, n) => (n * 7919) % 256))],
    ['a TLS greeting', Buffer.from('16030100c8010000c403030000', 'hex')],
    ['headers of 17 KiB', requestText('GET', '/v1/agents', { 'X-Long': 'x'.repeat(17 * 1024) })],
    ['an address of 17 KiB', requestText('GET', `/v1/agents?name=${'x'.repeat(17 * 1024)}`)],
    [
      'two lengths',
      requestText('PATCH', '/v1/agents/a', { 'Content-Length': '1\r\nContent-Length: 2' }),
    ],
    [
      'a length and chunks',
      requestText('PATCH', '/v1/agents/a', {
        'Content-Length': '1',
        'Transfer-Encoding': 'chunked',
      }),
    ],
    ['an invalid length', requestText('PATCH', '/v1/agents/a', { 'Content-Length': '-1' })],
    ['a folded header', 'GET /v1/agents HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\x00\r\n\r\n'],
    ['two Hosts', 'GET /v1/agents HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n'],
    ['no Host', 'GET /v1/agents HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ])('%s is a 400 and the connection is closed', async (_name, bytes) => {
    expectError(await sendRaw(bytes), 'invalid_request');
  });

  test('an unknown expectation is ignored', async () => {
    const answer = await sendRaw(
      requestText('GET', `/v1/agents/${agent.name}`, { ...auth, Expect: 'the-unexpected' }),
    );
    expect(answer.status).toBe(200);
  });

  test('truncated chunks are answered or dropped, and leave nothing behind', async () => {
    const socket = await openSocket(service.url);
    socket.write(
      requestText('PATCH', `/v1/agents/${agent.name}`, {
        ...auth,
        'Content-Type': 'application/json',
        'Transfer-Encoding': 'chunked',
      }),
    );
    socket.write('5\r\n{"tem\r\nzz\r\n');
    const text = await untilClosed(socket);
    expectError(parseAnswer(text), 'invalid_request');
  });

  test('garbage after a request does not end up in its response', async () => {
    const socket = await openSocket(service.url);
    socket.write(
      `${requestText('GET', '/openapi.json', { Connection: 'keep-alive' })}\x00garbage\r\n\r\n`,
    );
    const { status, headers, body } = parseAnswer(await untilClosed(socket));
    expect(status).toBe(200);
    const own = Buffer.from(body).subarray(0, Number(headers['content-length']));
    expect(own.toString()).not.toContain('not a valid HTTP request');
  });

  test('a client that disconnects halfway affects no other', async () => {
    for (let count = 0; count < 20; count += 1) {
      const socket = await openSocket(service.url);
      socket.write(
        requestText('PATCH', `/v1/agents/${agent.name}`, {
          ...auth,
          'Content-Type': 'application/json',
          'Content-Length': '1000',
        }),
      );
      socket.write('{"temp');
      socket.destroy();
    }
    await tenant.api.expect('getAgent', 200, { path: { agent_id: agent.name } });
  });
});

describe('OPTIONS and other origins', () => {
  const preflight = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'PATCH' };

  test('OPTIONS names the methods of a path without a key', async () => {
    const answer = await sendRaw(requestText('OPTIONS', `/v1/agents/${agent.name}`));
    expect(answer.status).toBe(204);
    expect(answer.headers['allow']).toBe('GET, HEAD, PATCH, DELETE, OPTIONS');
    expect(answer.headers['x-request-id']).toBeDefined();
    expectError(await sendRaw(requestText('OPTIONS', '/v1/nothing')), 'not_found');
  });

  test('by default no other origin is allowed', async () => {
    for (const method of ['OPTIONS', 'GET']) {
      const { headers } = await sendRaw(
        requestText(method, '/v1/agents', { ...auth, ...preflight }),
      );
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  test('a configured origin is allowed, and may read the headers of the contract', async () => {
    const { url } = await service.another({ CORS_ORIGINS: 'https://app.example.com' });
    const asked = parseAnswer(
      await exchange(url, requestText('OPTIONS', '/v1/agents/x', preflight)),
    );
    expect(asked.status).toBe(204);
    expect(asked.headers['access-control-allow-origin']).toBe('https://app.example.com');
    expect(asked.headers['access-control-allow-methods']).toContain('PATCH');
    const withToken = { ...preflight, 'Access-Control-Request-Headers': 'x-tool-authorization' };
    const invoking = parseAnswer(
      await exchange(url, requestText('OPTIONS', '/v1/agents/x/invoke', withToken)),
    );
    expect(invoking.headers['access-control-allow-headers']).toBe('x-tool-authorization');

    const { Origin } = preflight;
    const answer = parseAnswer(
      await exchange(url, requestText('GET', '/v1/agents', { ...auth, Origin })),
    );
    expect(answer.headers['access-control-allow-origin']).toBe(Origin);
    const exposed = answer.headers['access-control-expose-headers']?.split(',') ?? [];
    expect(exposed).toEqual(expect.arrayContaining(['X-Request-Id', 'Retry-After']));
    // Errors as well, so that a page can show the reason.
    const refused = parseAnswer(await exchange(url, requestText('GET', '/v1/agents', { Origin })));
    expect(refused.status).toBe(401);
    expect(refused.headers['access-control-allow-origin']).toBe(Origin);

    const other = parseAnswer(
      await exchange(
        url,
        requestText('OPTIONS', '/v1/agents', { ...preflight, Origin: 'https://evil.example' }),
      ),
    );
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
    const plain = parseAnswer(await exchange(url, requestText('OPTIONS', '/v1/agents')));
    expect(plain.headers['allow']).toBe('GET, HEAD, OPTIONS');
  });
});

test('none of these requests caused an internal error', () => {
  const faults = service.log.filter((line) => line.includes('"level":"error"'));
  expect(faults).toEqual([]);
});
