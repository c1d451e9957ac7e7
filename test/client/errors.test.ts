/** The errors of calls: a class for each code of the service, and errors for responses from elsewhere. */
import { describe, expect, jest, test } from '@jest/globals';
import * as sdk from '../../client/src/index.js';
import { errorStatus } from '../../generated/operations.js';
import {
  disconnect,
  disconnectInBody,
  dataResponse,
  errorResponse,
  finalErrorResponse,
  jsonResponse,
  rawResponse,
  startStubServer,
  useStubServer,
} from './stub-server.js';

const server = useStubServer();

async function failure(): Promise<unknown> {
  return server
    .client({ maxRetries: 0 })
    .agents.get('bot')
    .catch((error: unknown) => error);
}

const classes: Record<keyof typeof errorStatus, typeof sdk.ApiError> = {
  invalid_request: sdk.InvalidRequestError,
  unauthorized: sdk.UnauthorizedError,
  forbidden: sdk.ForbiddenError,
  not_found: sdk.NotFoundError,
  method_not_allowed: sdk.MethodNotAllowedError,
  conflict: sdk.ConflictError,
  payload_too_large: sdk.PayloadTooLargeError,
  unsupported_media_type: sdk.UnsupportedMediaTypeError,
  idempotency_mismatch: sdk.IdempotencyMismatchError,
  rate_limited: sdk.RateLimitedError,
  server_error: sdk.ServerError,
  upstream_error: sdk.UpstreamError,
  unavailable: sdk.UnavailableError,
  timeout: sdk.TimeoutError,
};

describe('An error of the service', () => {
  test.each(Object.entries(errorStatus))('%s (%d) has its own class', async (code, status) => {
    server.respondWith(errorResponse(status, code, { 'retry-after': '7' }));
    const error = await failure();
    const type = Object.entries(classes).find(([name]) => name === code)?.[1];
    expect(error).toBeInstanceOf(type);
    expect(error).toBeInstanceOf(sdk.ApiError);
    expect(error).toBeInstanceOf(sdk.AgentHostingError);
    expect(error).toMatchObject({
      name: type?.name,
      message: `It is ${code}.`,
      status,
      code,
      details: [],
      retryAfter: 7,
      requestId: 'req_1',
    });
  });

  test('carries every detail of a failed validation', async () => {
    const details = [{ field: 'limit', error: 'must be at most 100' }];
    const error = { code: 'invalid_request', message: 'Validation failed', details };
    server.respondWith(jsonResponse(400, { success: false, error }));
    expect(await failure()).toMatchObject({ details, retryAfter: undefined, requestId: null });
  });

  test('names the fields that failed in its message', async () => {
    const details = [
      { field: 'limit', error: 'must be at most 100' },
      { field: 'sort', error: 'must be one of name, -name' },
    ];
    const error = { code: 'invalid_request', message: 'Validation failed', details };
    server.respondWith(jsonResponse(400, { success: false, error }));
    expect(await failure()).toHaveProperty(
      'message',
      'Validation failed: limit must be at most 100; sort must be one of name, -name',
    );
  });

  test('has Retry-After in seconds, from a number or a date', async () => {
    const failureWith = async (value: string) => {
      server.respondWith(errorResponse(503, 'unavailable', { 'retry-after': value }));
      return failure();
    };
    expect(await failureWith('0')).toMatchObject({ retryAfter: 0 });
    expect(await failureWith('1.5')).toMatchObject({ retryAfter: 1.5 });
    const now = Date.UTC(2026, 10, 2);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
    const date = new Date(now + 600_000).toUTCString();
    expect(await failureWith(date)).toMatchObject({ retryAfter: 600 });
    clock.mockRestore();
    for (const value of ['', 'soon', '-5', new Date(0).toUTCString()]) {
      expect(await failureWith(value)).toMatchObject({ retryAfter: undefined });
    }
  });

  test('says whether repeating the call is useless or dangerous', async () => {
    server.respondWith(finalErrorResponse(502, 'upstream_error'));
    expect(await failure()).toHaveProperty('retryable', false);
    server.respondWith(errorResponse(502, 'upstream_error'));
    expect(await failure()).toHaveProperty('retryable', undefined);
  });

  test('with a code that is newer than the client has the class of its status', async () => {
    server.respondWith(errorResponse(409, 'agent_busy'));
    const error = await failure();
    expect(error).toBeInstanceOf(sdk.ConflictError);
    expect(error).toMatchObject({ code: 'agent_busy', status: 409 });
  });

  test('with a status that is newer than the client is an ApiError', async () => {
    server.respondWith(errorResponse(451, 'withheld'));
    const error = await failure();
    expect(error).toBeInstanceOf(sdk.ApiError);
    expect(error).toMatchObject({ name: 'ApiError', status: 451, code: 'withheld' });
  });
});

describe('A response that is not from the service', () => {
  test.each([
    [
      'the page of a proxy',
      rawResponse(502, '<h1>Bad gateway</h1>', { 'content-type': 'text/html' }),
    ],
    ['an empty body', rawResponse(502, '')],
    ['JSON of another shape', jsonResponse(502, ['no'])],
    ['null', jsonResponse(502, null)],
    ['nothing under error', jsonResponse(502, { success: false, error: null })],
    ['a word under error', jsonResponse(502, { error: 'bad gateway' })],
    ['details that are not an array', jsonResponse(502, { error: { details: 'none' } })],
  ])(
    'with an error status and %s is an error of that status, without a code',
    async (_name, respond) => {
      server.respondWith(respond);
      const error = await failure();
      expect(error).toBeInstanceOf(sdk.UpstreamError);
      const fields = { message: 'HTTP 502', status: 502, code: undefined, details: [] };
      expect(error).toMatchObject(fields);
    },
  );

  test.each([
    ['a page', rawResponse(200, '<h1>Welcome</h1>', { 'content-type': 'text/html' })],
    [
      'garbage that calls itself JSON',
      rawResponse(200, '{"success":tru', { 'content-type': 'application/json' }),
    ],
    ['nothing', rawResponse(200, '')],
    ['JSON of another shape', jsonResponse(200, { ok: true })],
    ['a bare word', jsonResponse(200, 'fine')],
    ['null', jsonResponse(200, null)],
    ['a success without a body', rawResponse(204, '')],
    [
      'events',
      rawResponse(200, 'event: done\ndata: {}\n\n', { 'content-type': 'text/event-stream' }),
    ],
    ['bytes', rawResponse(200, '\u0000\ufffd\u0001', { 'content-type': 'application/json' })],
  ])('with a success status and %s is an InvalidResponseError', async (_name, respond) => {
    server.respondWith(respond);
    const error = await failure();
    expect(error).toBeInstanceOf(sdk.InvalidResponseError);
    expect(error).toHaveProperty('message', expect.stringContaining('check baseUrl'));
  });

  test.each([400, 401, 403, 404, 405])(
    'with the status %i and a page is an InvalidResponseError, not the error of that status',
    async (status) => {
      const page = { 'content-type': 'text/html; charset=utf-8' };
      server.respondWith(rawResponse(status, '<h1>Apache</h1>', page));
      const error = await failure();
      expect(error).toBeInstanceOf(sdk.InvalidResponseError);
      const message = `HTTP ${status} with HTML: check baseUrl.`;
      expect(error).toHaveProperty('message', message);
    },
  );

  test.each([
    ['of ten megabytes', 'x'.repeat(10_000_000), []],
    ['that is an object', { text: 'no' }, []],
    ['that is a number', 42, []],
    ['with invalid details', 'no', [null, 7, 'limit', {}, { field: 3 }]],
    ['with ten thousand details', 'no', Array(10_000).fill({ field: 'f', error: 'e' })],
  ])('with a message %s is a short error', async (_name, message, details) => {
    server.respondWith(jsonResponse(502, { error: { code: 'upstream_error', message, details } }));
    const error = await failure();
    expect(error).toBeInstanceOf(sdk.UpstreamError);
    expect(String(error).length).toBeLessThan(2_100);
  });

  test('with ten megabytes of HTML is an error of its status', async () => {
    server.respondWith(rawResponse(502, '<p>'.repeat(3_500_000), { 'content-type': 'text/html' }));
    expect(await failure()).toHaveProperty('message', 'HTTP 502');
  });

  test('with JSON under another content type is read as JSON', async () => {
    server.respondWith(
      rawResponse(200, '{"success":true,"data":{"id":"agent_1"}}', {
        'content-type': 'text/plain',
      }),
    );
    expect(await failure()).toEqual({ id: 'agent_1' });
  });

  test('that is missing because no server is running is a ConnectionError with its cause', async () => {
    const stopped = await startStubServer();
    await stopped.stop();
    const client = stopped.client({ maxRetries: 0 });
    const error: unknown = await client.agents.get('bot').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(sdk.ConnectionError);
    expect(error).not.toBeInstanceOf(sdk.ConnectionTimeoutError);
    expect(error).toHaveProperty('name', 'ConnectionError');
    const { host } = new URL(stopped.url);
    const message = `No response from ${host}: connect ECONNREFUSED ${host}.`;
    expect(error).toHaveProperty('message', message);
    expect(error).toHaveProperty('cause.cause.code', 'ECONNREFUSED');
  });

  test('that is cut off is a ConnectionError that names the host', async () => {
    server.respondWith(disconnectInBody);
    const { host } = new URL(server.url);
    const error = await failure();
    expect(error).toBeInstanceOf(sdk.ConnectionError);
    expect(error).toHaveProperty('message', `No response from ${host}: other side closed.`);
  });

  test('that redirects is replaced by the response of its target', async () => {
    server.respondWith(
      rawResponse(302, '', { location: '/elsewhere' }),
      dataResponse({ id: 'agent_2' }),
    );
    expect(await failure()).toEqual({ id: 'agent_2' });
    server.respondWith(disconnect);
    expect(await failure()).toBeInstanceOf(sdk.ConnectionError);
  });
});
