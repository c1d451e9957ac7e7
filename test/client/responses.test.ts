/** withResponse: the result of a call together with its headers and its request id. */
import { describe, expect, test } from '@jest/globals';
import { NotFoundError } from '../../client/src/index.js';
import {
  errorResponse,
  eventStream,
  jsonResponse,
  serverSentEvent,
  useStubServer,
} from './stub-server.js';

const server = useStubServer();

const headers = { 'x-request-id': 'req_7', 'x-ratelimit-remaining': '99' };
const agent = { success: true, data: { id: 'agent_1' } };
const page = {
  data: [{ id: 'agent_1' }],
  pagination: { limit: 1, offset: 0, total: 1, has_more: false },
};

describe('withResponse', () => {
  test('resolves to the result, the response and the request id', async () => {
    server.respondWith(jsonResponse(200, agent, headers));
    const { data, response, requestId } = await server.client().agents.get('bot').withResponse();
    expect(data.id).toBe('agent_1');
    expect([response.status, response.url]).toEqual([200, `${server.url}/v1/agents/bot`]);
    expect(response.headers.get('x-ratelimit-remaining')).toBe('99');
    expect(requestId).toBe('req_7');
  });

  test('sends no request of its own: the call can be awaited as well', async () => {
    server.respondWith(jsonResponse(200, agent, headers));
    const call = server.client().agents.get('bot');
    expect(await call).toEqual({ id: 'agent_1' });
    expect(await call.withResponse()).toMatchObject({ data: { id: 'agent_1' } });
    expect(server.received).toHaveLength(1);
  });

  test('rejects as the call does', async () => {
    server.respondWith(errorResponse(404, 'not_found'));
    const call = server.client().agents.get('bot');
    await expect(call.withResponse()).rejects.toThrow(NotFoundError);
    await expect(call).rejects.toThrow(NotFoundError);
  });

  test('of a list resolves to the response of its page', async () => {
    server.respondWith(jsonResponse(200, page, headers));
    const list = server.client().agents.list({ limit: 1 });
    for (const call of [list, list.page()]) {
      expect(await call.withResponse()).toMatchObject({ data: page, requestId: 'req_7' });
    }
  });

  test('of an asynchronous invocation has its status', async () => {
    const accepted = { success: true, data: { request_id: 'req_7' } };
    server.respondWith(jsonResponse(202, accepted, headers));
    const call = server.client().agents.invokeAsync('bot', { message: 'Hi' });
    const { data, response } = await call.withResponse();
    expect([response.status, data.request_id]).toEqual([202, 'req_7']);
  });
});

describe('withResponse of a stream', () => {
  const events = [
    serverSentEvent('delta', { text: 'Hi' }),
    serverSentEvent('done', { response: 'Hi' }),
  ];
  const open = () => server.client().agents.invoke('bot', { message: 'Hi' }, { stream: true });

  test('resolves before the stream is read, with one request', async () => {
    server.respondWith(eventStream(events, 'end'));
    const { data: stream, requestId, response } = await open().withResponse();
    expect([requestId, response.headers.get('content-type')]).toEqual([
      'req_1',
      'text/event-stream; charset=utf-8',
    ]);
    const seen: string[] = [];
    for await (const { text } of stream) seen.push(text);
    expect(seen).toEqual(['Hi']);
    expect(await stream.result()).toEqual({ response: 'Hi' });
    expect(server.received).toHaveLength(1);
  });

  test('rejects if there is no stream', async () => {
    server.respondWith(errorResponse(404, 'not_found'));
    await expect(open().withResponse()).rejects.toThrow(NotFoundError);
  });
});
