/** The mock answers every operation of the contract with the contract's own examples. */

import { describe, expect, test } from '@jest/globals';
import { statusAt } from '../helpers/api.js';
import { operations } from '../helpers/contract.js';
import { useFixture } from '../helpers/fixture.js';
import { isServed, startMock } from '../helpers/mock-server.js';
import { runScript } from '../helpers/workspace.js';

const mock = useFixture(startMock, ({ stop }) => stop());

type Operation = (typeof operations)[number];

/** The request that the examples of an operation make up. */
function requestOf({ path, parameters, requests, ...operation }: Operation): Request {
  const method = operation.method.toUpperCase();
  const url = new URL(path, mock.url);
  const headers = new Headers({ Authorization: 'Bearer any-key', Accept: 'application/json' });
  for (const { name, in: place, value } of parameters) {
    if (place === 'path')
      url.pathname = decodeURI(url.pathname).replace(`{${name}}`, String(value));
    if (place === 'query') url.searchParams.set(name, String(value));
    // Prism reads Prefer as a preference about its own answers.
    if (place === 'header' && name !== 'Prefer') headers.set(name, String(value));
  }
  const [body] = requests;
  if (body === undefined) return new Request(url, { method, headers });
  headers.set('Content-Type', body.mediaType);
  return new Request(url, { method, headers, body: JSON.stringify(body.value) });
}

describe('the mock', () => {
  test.each(operations)('answers $operationId with an example of a success', async (operation) => {
    const response = await fetch(requestOf(operation));
    const body: unknown = await response.json();
    const documented = operation.responses.filter(
      ({ status, mediaType }) => status === response.status && mediaType === 'application/json',
    );
    // Prism lists here what is wrong with the request.
    expect(response.headers.get('sl-violations')).toBeNull();
    expect(response.ok).toBe(true);
    expect(documented.map(({ value }) => value)).toContainEqual(body);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('asks for a key like the service', async () => {
    const response = await fetch(`${mock.url}/v1/agents`);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({
      success: false,
      error: { code: 'unauthorized' },
    });
  });

  test('gives another documented answer when asked to', async () => {
    const response = await fetch(`${mock.url}/v1/agents`, {
      headers: { Authorization: 'Bearer any-key', Prefer: 'code=429' },
    });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { code: 'rate_limited' } });
  });

  test('lets browsers of other origins in', async () => {
    const response = await fetch(`${mock.url}/v1/agents`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://app.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization, idempotency-key',
      },
    });
    expect(response.ok).toBe(true);
    expect(response.headers.get('access-control-allow-origin')).toMatch(
      /^(\*|https:\/\/app\.example)$/,
    );
    expect(response.headers.get('access-control-allow-methods')).toContain('POST');
    expect(response.headers.get('access-control-allow-headers')).toMatch(/\*|idempotency-key/);
  });

  test('prints a request that works when pasted', async () => {
    const [, url = '', header = ''] = /curl (\S+) -H '(\S+: [^']+)'$/m.exec(mock.output()) ?? [];
    const [name = '', value = ''] = header.split(': ');
    expect(await statusAt(url, { headers: { [name]: value } })).toBe(200);
  });

  test('says what to do when its port is taken', async () => {
    const { code, stderr } = await runScript('mock', ['--port', String(mock.port)]);
    expect(code).toBe(1);
    expect(stderr).toContain('Choose another port with --port or PORT');
  });

  test('refuses a port that is none with exit code 2', async () => {
    expect(await runScript('mock', ['--port', 'http'])).toMatchObject({ code: 2 });
  });

  test('leaves nothing behind when it is stopped', async () => {
    const other = await startMock();
    expect(await isServed(other.port)).toBe(true);
    expect(await other.stop()).toBe(0);
    expect(await isServed(other.port)).toBe(false);
  });
});
