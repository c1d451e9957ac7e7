/** What calls reject with: one class for each code, with all that the service said, and something sensible for the rest. */
import { describe, expect, test } from '@jest/globals';
import * as sdk from '../../client/src/index.js';
import { errorStatus } from '../../generated/operations.js';
import {
  disconnect,
  dataResponse,
  errorResponse,
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
  test.each(Object.entries(errorStatus))('%s (%d) has a class of its own', async (code, status) => {
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

  test('says when to come back, in whichever form it was told', async () => {
    const waiting = async (value: string) => {
      server.respondWith(errorResponse(503, 'unavailable', { 'retry-after': value }));
      return failure();
    };
    expect(await waiting('0')).toMatchObject({ retryAfter: 0 });
    expect(await waiting('1.5')).toMatchObject({ retryAfter: 1.5 });
    const date = new Date(Date.now() + 600_000).toUTCString();
    expect(await waiting(date)).toHaveProperty('retryAfter', expect.closeTo(600, -1));
    for (const value of ['', 'soon', '-5', new Date(0).toUTCString()]) {
      expect(await waiting(value)).toMatchObject({ retryAfter: undefined });
    }
  });

  test('with a code that is newer than the client goes by its status', async () => {
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

describe('What comes from somewhere else', () => {
  test.each([
    [
      'a page of a proxy',
      rawResponse(502, '<h1>Bad gateway</h1>', { 'content-type': 'text/html' }),
    ],
    ['an empty body', rawResponse(502, '')],
    ['JSON of another shape', jsonResponse(502, ['no'])],
    ['null', jsonResponse(502, null)],
    ['nothing under error', jsonResponse(502, { success: false, error: null })],
    ['a word under error', jsonResponse(502, { error: 'bad gateway' })],
    ['details that are none', jsonResponse(502, { error: { details: 'none' } })],
  ])('as an error with %s is an error by its status, without a code', async (_name, answer) => {
    server.respondWith(answer);
    const error = await failure();
    expect(error).toBeInstanceOf(sdk.UpstreamError);
    const fields = { message: 'HTTP 502', status: 502, code: undefined, details: [] };
    expect(error).toMatchObject(fields);
  });

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
  ])('as a success with %s is an InvalidResponseError', async (_name, answer) => {
    server.respondWith(answer);
    const error = await failure();
    expect(error).toBeInstanceOf(sdk.InvalidResponseError);
    expect(error).toHaveProperty('message', expect.stringContaining('check baseUrl'));
  });

  test('JSON under another content type is JSON all the same', async () => {
    server.respondWith(
      rawResponse(200, '{"success":true,"data":{"id":"agent_1"}}', {
        'content-type': 'text/plain',
      }),
    );
    expect(await failure()).toEqual({ id: 'agent_1' });
  });

  test('no server at all is a ConnectionError that says why', async () => {
    const gone = await startStubServer();
    await gone.stop();
    const client = gone.client({ maxRetries: 0 });
    const error: unknown = await client.agents.get('bot').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(sdk.ConnectionError);
    expect(error).not.toBeInstanceOf(sdk.ConnectionTimeoutError);
    expect(error).toHaveProperty('name', 'ConnectionError');
    expect(error).toHaveProperty('cause.cause.code', 'ECONNREFUSED');
  });

  test('a redirect leads to no other answer than that of its target', async () => {
    server.respondWith(
      rawResponse(302, '', { location: '/elsewhere' }),
      dataResponse({ id: 'agent_2' }),
    );
    expect(await failure()).toEqual({ id: 'agent_2' });
    server.respondWith(disconnect);
    expect(await failure()).toBeInstanceOf(sdk.ConnectionError);
  });
});
