/** Any hostile request gets the contract's error body with a request id, and never causes an internal error. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { expectError } from './error-response.js';
import {
  exchange,
  parseAnswer,
  type RawAnswer,
  requestText,
  useBearer,
} from '../helpers/servers/raw-http.js';
import { useAgent, useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service);
const agent = useAgent(tenant);
const auth = useBearer(tenant);

const sendRaw = (bytes: string | Buffer) => exchange(service.url, bytes).then(parseAnswer);

function sendBody(body: string, headers: Record<string, string> = {}): Promise<RawAnswer> {
  const length = String(Buffer.byteLength(body));
  return sendRaw(
    requestText(
      'PATCH',
      `/v1/agents/${agent.name}`,
      { ...auth, 'Content-Type': 'application/json', 'Content-Length': length, ...headers },
      body,
    ),
  );
}

describe('a hostile body', () => {
  test.each([
    ['malformed JSON', '{"temperature": 1'],
    ['a lone word', 'temperature'],
    ['only a byte order mark', '\ufeff'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a number', '1'],
    ['a string', '"temperature"'],
    ['a NUL character', '{"model": "builtin/ec\\u0000ho"}'],
    ['a NUL character in a name', '{"mo\\u0000del": "builtin/echo"}'],
    ['a lone surrogate', '{"model": "builtin/\\ud800"}'],
    ['a lone surrogate in a name', '{"\\udfff": 1}'],
    ['a number out of range', '{"temperature": 1e999}'],
    ['a prototype', '{"__proto__": {"temperature": 1}}'],
    ['a constructor', '{"constructor": {"prototype": {"temperature": 1}}}'],
    ['5 000 levels of arrays', `{"model": ${'['.repeat(5000)}${']'.repeat(5000)}}`],
    ['5 000 levels of objects', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`],
    ['a field named twice', '{"temperature": 1, "temperature": 99}'],
    [
      'ten thousand unknown fields',
      JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`f${n}`, n]))),
    ],
    ['a field with a very long name', JSON.stringify({ ['x'.repeat(100_000)]: 1 })],
  ])('%s is a 400', async (_name, body) => {
    expectError(await sendBody(body), 'invalid_request');
  });

  test('a number out of range is rejected in any position, because it would become null', async () => {
    const body = '{"message": "hello", "context": {"big": 1e999}}';
    const answer = await sendRaw(
      requestText(
        'POST',
        `/v1/agents/${agent.name}/invoke`,
        { ...auth, 'Content-Type': 'application/json', 'Content-Length': String(body.length) },
        body,
      ),
    );
    expect(expectError(answer, 'invalid_request').details).toEqual([
      { field: 'context.big', error: expect.any(String) },
    ]);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'json',
    ';',
  ])('Content-Type %s is a 415', async (type) => {
    expectError(
      await sendBody('{"temperature": 1}', { 'Content-Type': type }),
      'unsupported_media_type',
    );
  });

  test.each([
    ['an unknown charset', { 'Content-Type': 'application/json; charset=klingon' }],
    ['a charset that is not UTF-8', { 'Content-Type': 'application/json; charset=utf-16' }],
    ['an unknown encoding', { 'Content-Encoding': 'zstd-ish' }],
  ])('%s is a 415', async (_name, headers) => {
    expectError(await sendBody('{"temperature": 1}', headers), 'unsupported_media_type');
  });

  test('a body that does not match its encoding is a 400', async () => {
    expectError(
      await sendBody('this is not gzip', { 'Content-Encoding': 'gzip' }),
      'invalid_request',
    );
  });

  test('one byte more than 1 MiB is a 413, and 1 MiB is accepted', async () => {
    const frame = '{"model": ""}'.length;
    const body = (size: number) => JSON.stringify({ model: 'x'.repeat(size - frame + 1) });
    expectError(await sendBody(body(1024 * 1024)), 'invalid_request');
    expectError(await sendBody(body(1024 * 1024 + 1)), 'payload_too_large');
  });

  test('one byte more than MAX_BODY_BYTES is a 413 that names it, and as many are accepted', async () => {
    const most = 2 * 1024 * 1024;
    const { api } = await service.another({ MAX_BODY_BYTES: String(most) });
    const frame = JSON.stringify({ message: 'Hi', context: { document: '' } }).length;
    const invoke = (size: number) => ({
      path: { agent_id: agent.id },
      body: { message: 'Hi', context: { document: 'x'.repeat(size - frame) } },
    });
    await api(tenant.key).expect('invokeAgent', 200, invoke(most));
    const { error } = await api(tenant.key).expect('invokeAgent', 413, invoke(most + 1));
    expect(error.message).toBe('The request body is larger than 2 MiB.');
  });

  test('a Content-Length that is too large is a 413 before any of the body is sent', async () => {
    expectError(await sendBody('', { 'Content-Length': '99999999999' }), 'payload_too_large');
  });

  test('64 levels are accepted and 65 are not', async () => {
    const nested = (levels: number) =>
      `{"model": ${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(
      JSON.stringify(expectError(await sendBody(nested(64)), 'invalid_request')),
    ).not.toContain('nested');
    expect(JSON.stringify(expectError(await sendBody(nested(65)), 'invalid_request'))).toContain(
      'nested',
    );
  });

  test('Content-Types with different parameters take no memory', async () => {
    const body = '{"temperature": 3}';
    const send = (n: number) => sendBody(body, { 'Content-Type': `application/json; x=${n}` });
    await send(0);
    const before = heapInUse();
    for (let n = 1; n <= 150; n += 1) expectError(await send(n), 'invalid_request');
    expect((heapInUse() - before) / 150).toBeLessThan(20_000);
  });
});

describe('a hostile address', () => {
  test.each([
    ['an unknown path', '/v1/nothing', 'operation at /v1/nothing'],
    ['a path without /v1', '/agents', '/v1'],
    ['another version', '/v2/agents', '/v1'],
    ['capitals', '/V1/AGENTS', '/v1'],
    ['a trailing slash', '/v1/agents/', '/v1/agents/'],
    ['a double slash', '//v1/agents', '/v1'],
    ['dots', '/v1/../v1/agents', '/v1'],
    ['encoded slashes', '/v1%2Fagents', '/v1'],
  ])('%s is a 404 with a hint', async (_name, target, hint) => {
    const { message } = expectError(await sendRaw(requestText('GET', target, auth)), 'not_found');
    expect(message).toContain(hint);
  });

  test.each([
    ['a broken percent-encoding', '/v1/agents/%zz'],
    ['half a percent-encoding', '/v1/agents/%e'],
    ['bytes that are not UTF-8', '/v1/agents/%ff%fe'],
    ['NUL in the path', '/v1/agents/a%00b'],
    ['NUL in the query', '/v1/agents?name=a%00b'],
    ['a lone surrogate in the query', '/v1/agents?name=%ed%a0%80'],
    ['an offset beyond 64 bits', '/v1/agents?offset=9223372036854775808'],
    ['an offset out of range', '/v1/agents?offset=1e999'],
    ['a limit that is not a number', '/v1/agents?limit=NaN'],
    ['a limit given twice', '/v1/agents?limit=1&limit=2'],
    ['an empty limit', '/v1/agents?limit='],
    ['a limit as an object', '/v1/agents?limit[a]=1'],
    ['a prototype', '/v1/agents?__proto__=1'],
    ['a prototype with a member', '/v1/agents?__proto__[a]=1'],
    ['the year 275760', '/v1/agents/AGENT/logs?start_time=%2B275760-09-13T00:00:00.000Z'],
    [
      'the year 9999 as a bucket',
      '/v1/agents/AGENT/metrics?metric=throughput&end_time=9999-12-31T23:59:59Z&start_time=1970-01-01T00:00:00Z',
    ],
    ['30 February', '/v1/agents/AGENT/logs?start_time=2026-02-30T00:00:00Z'],
    [
      'two thousand parameters',
      `/v1/agents?${Array.from({ length: 1500 }, (_, n) => `p${n}=1`).join('&')}`,
    ],
  ])('%s is a 400', async (_name, target) => {
    expectError(
      await sendRaw(requestText('GET', target.replace('AGENT', agent.name), auth)),
      'invalid_request',
    );
  });

  test('a name of a thousand characters is a 400', async () => {
    const answer = await sendRaw(requestText('GET', `/v1/agents/${'a'.repeat(1000)}`, auth));
    expectError(answer, 'invalid_request');
  });
});

test('none of these requests caused an internal error', () => {
  const faults = service.log.filter((line) => line.includes('"level":"error"'));
  expect(faults).toEqual([]);
});

/** After a garbage collection, so that only retained memory counts. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
  return process.memoryUsage().heapUsed;
}
