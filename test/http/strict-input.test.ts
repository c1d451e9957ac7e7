/** Almost valid input is rejected with an explanation, and never repaired, converted or ignored. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { errorMessages } from '../../generated/constraints.js';
import { operations } from '../helpers/service/contract.js';
import { expectError } from './error-response.js';
import { exchange, parseAnswer, requestText, useBearer } from '../helpers/servers/raw-http.js';
import { useAgent, useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);
const agent = useAgent(tenant);
const auth = useBearer(tenant);

const send = async (...request: Parameters<typeof requestText>) =>
  parseAnswer(await exchange(service.url, requestText(...request)));

const time = errorMessages.format['date-time'] ?? '';

describe('a query', () => {
  test.each([
    ['limit', 'limit=0x10', 'must be an integer'],
    ['limit', 'limit=1e1', 'must be an integer'],
    ['limit', 'limit=%205', 'must be an integer'],
    ['limit', 'limit=+5', 'must have reserved characters percent-encoded'],
    ['limit', 'limit=5.0', 'must be an integer'],
    ['limit', 'limit=05', 'must be an integer'],
    ['limit', 'limit=1&limit=2', 'must be an integer'],
    ['name', 'name=a&name=b', 'must be a string'],
    ['offset', 'offset=', 'must not be empty'],
    ['offset', 'offset', 'must not be empty'],
    ['name[__proto__]', 'name[__proto__]=x', 'is not a known parameter'],
    ['name[x]', 'name[x]=x', 'is not a known parameter'],
    ['name[x]', 'name%5Bx%5D=x', 'is not a known parameter'],
    ['__proto__', '__proto__=x', 'is not a known parameter'],
    ['query', '=x', 'is not a known parameter'],
    ['name', 'name=%FF', 'is not valid percent-encoded UTF-8'],
    ['query', '%FF=x', 'is not valid percent-encoded UTF-8'],
  ])('names %s of ?%s: %s', async (field, query, error) => {
    const answer = await send('GET', `/v1/agents?${query}`, auth);
    expect(expectError(answer, 'invalid_request').details).toEqual([{ field, error }]);
  });

  test('of a thousand unknown parameters names the first', async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `x${index}`);
    const answer = await send('GET', `/v1/agents?${names.join('&')}`, auth);
    const { details } = expectError(answer, 'invalid_request');
    expect(details).toEqual([{ field: 'x0', error: 'is not a known parameter' }]);
  });

  test('may have empty parts, and a number below its minimum is rejected', async () => {
    expect((await send('GET', '/v1/agents?&limit=5&', auth)).status).toBe(200);
    const { details } = expectError(
      await send('GET', '/v1/agents?limit=-1', auth),
      'invalid_request',
    );
    expect(details).toEqual([{ field: 'limit', error: 'must be at least 1' }]);
  });
});

describe('a time', () => {
  const logs = (query: string) => send('GET', `/v1/agents/${agent.id}/logs?${query}`, auth);

  test('may have any offset, and means the same moment', async () => {
    await tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: agent.id },
      body: { message: 'Hi' },
    });
    const { data } = await tenant.api.expect('getLogs', 200, { path: { agent_id: agent.id } });
    const oldest = Date.parse(data.at(-1)?.timestamp ?? '');
    for (const text of ['2026-11-02t09:30:00.123456789z', '2026-11-02T09:30:00-00:00']) {
      expect((await logs(`start_time=${text}`)).status).toBe(200);
    }
    const inKathmandu = new Date(oldest + 345 * 60_000).toISOString().replace('Z', '%2B05:45');
    const answer = await logs(`start_time=${inKathmandu}&end_time=2999-01-01T00:00:00-12:00`);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toMatchObject({ pagination: { total: data.length } });
  });

  test('of a key is returned in UTC', async () => {
    const { data } = await tenant.api.expect('createApiKey', 201, {
      body: { name: 'Python', permissions: ['read'], expires_at: '2999-01-01T00:00:00.5+02:00' },
    });
    expect(data.expires_at).toBe('2998-12-31T22:00:00.500Z');
  });

  test.each([
    ['yesterday', time],
    ['2026-11-02', time],
    ['2026-11-02T09:30:00', time],
    ['2026-13-02T09:30:00Z', time],
    ['2026-11-02T09:30:00%2B25:00', time],
    ['2026-11-02T09:30:00+01:00', time],
    ['1969-12-31T23:59:59Z', 'must be from the year 1970 to the year 9999, in UTC'],
    ['1970-01-01T00:00:00%2B01:00', 'must be from the year 1970 to the year 9999, in UTC'],
    ['9999-12-31T23:59:59-01:00', 'must be from the year 1970 to the year 9999, in UTC'],
    ['2026-12-31T23:59:60Z', 'must not be a leap second'],
  ])('%s is rejected: %s', async (text, error) => {
    const { details } = expectError(await logs(`start_time=${text}`), 'invalid_request');
    expect(details).toEqual([{ field: 'start_time', error }]);
  });
});

describe('a body', () => {
  const post = (body: Buffer, headers: Record<string, string> = {}) => {
    const head = requestText('POST', '/v1/keys', {
      ...auth,
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
      ...headers,
    });
    return exchange(service.url, Buffer.concat([Buffer.from(head), body])).then(parseAnswer);
  };
  const valid = Buffer.from(JSON.stringify({ name: 'Zoë', permissions: ['read'] }));
  const gzip = { 'Content-Encoding': 'gzip' };

  test('is accepted as gzip', async () => {
    expect((await post(gzipSync(valid), gzip)).status).toBe(201);
  });

  test.each([
    ['not valid UTF-8', Buffer.from(valid.toString(), 'latin1'), {}, /not valid UTF-8/],
    ['not gzip', valid, gzip, /not compressed as its Content-Encoding says/],
    ['gzip that is cut off', gzipSync(valid).subarray(0, 20), gzip, /or it is cut off/],
    ['not Brotli', valid, { 'Content-Encoding': 'br' }, /not compressed as/],
  ])('is rejected if it is %s', async (_, body, headers, message) => {
    expect(expectError(await post(body, headers), 'invalid_request').message).toMatch(message);
  });

  test('must have a URL with a host where a URL is required', async () => {
    const answer = await tenant.api.call('createWebhook', {
      body: { url: 'https:///x', events: ['agent.completed'] },
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { details: [{ field: 'url', error: expect.stringMatching(/with a host/) }] } },
    });
  });
});

test('media types are compared case-insensitively', async () => {
  const body = JSON.stringify({ message: 'Hi' });
  const answer = await send(
    'POST',
    `/v1/agents/${agent.id}/invoke`,
    {
      ...auth,
      Accept: 'Text/Event-Stream',
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
    },
    body,
  );
  expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
});

test('no error shows a pattern: each pattern that a request can violate has a message', () => {
  const without: string[] = [];
  const visit = (node: unknown, path: string) => {
    if (typeof node !== 'object' || node === null) return;
    if ('pattern' in node && !('x-error-message' in node)) without.push(path);
    for (const [key, inner] of Object.entries(node)) visit(inner, `${path}/${key}`);
  };
  for (const { operationId, parameters, requests } of operations) {
    for (const { schema } of [...parameters, ...requests]) visit(schema, operationId);
  }
  expect(without).toEqual([]);
});
