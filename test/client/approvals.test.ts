/** Invocations that wait for approval: their results, decisions, and cancelling. */
import { describe, expect, test } from '@jest/globals';
import {
  type AcceptedInvocation,
  ConflictError,
  type Decisions,
  ForbiddenError,
  type Invocation,
  type InvocationResult,
  NotFoundError,
} from '../../client/src/index.js';
import {
  dataResponse,
  errorResponse,
  eventStream,
  jsonResponse,
  serverSentEvent,
  useStubServer,
} from './stub-server.js';

const server = useStubServer();

const waiting = {
  response: 'I can refund it.',
  request_id: 'req_1',
  tokens_used: 4,
  duration_ms: 12,
  status: 'requires_approval',
  approvals: [
    {
      call_id: 'call_1',
      tool: 'refund',
      arguments: { order_id: '5512' },
      approver: 'caller',
      expires_at: '2026-11-03T09:30:01.000Z',
    },
  ],
};
const answered = { ...waiting, response: 'Done.', request_id: 'req_2', status: 'completed' };
const accepted = jsonResponse(202, { success: true, data: { request_id: 'req_1' } });
const streamOf = (result: object) =>
  eventStream(
    [
      serverSentEvent('delta', { text: 'Well. ' }, 'req_1.1'),
      serverSentEvent('done', result, 'req_1.2'),
    ],
    'end',
  );
const body = { message: 'Refund order 5512' };

/** The compiler checks that the status tells the results apart. */
function toolsOf(result: InvocationResult): string[] {
  if (result.status !== 'requires_approval') {
    result.approvals satisfies undefined;
    return [];
  }
  return result.approvals.map(({ tool }) => tool);
}

describe('An invocation that waits for approval', () => {
  test('has the pending calls, plain, streamed and asynchronous', async () => {
    const { agents } = server.client();
    server.respondWith(dataResponse(waiting));
    const plain = await agents.invoke('bot', body);
    expect(toolsOf(plain)).toEqual(['refund']);
    // Code that was written before there were approvals.
    const { response }: Invocation = plain;
    expect(response).toBe('I can refund it.');

    server.respondWith(streamOf(waiting));
    const stream = agents.invoke('bot', body, { stream: true });
    for await (const event of stream.events()) {
      if (event.event === 'done') expect(toolsOf(event.data)).toEqual(['refund']);
    }
    expect(toolsOf(await stream.result())).toEqual(['refund']);

    server.respondWith(accepted, dataResponse(waiting));
    expect(toolsOf(await agents.invokeAsync('bot', body).result())).toEqual(['refund']);
  });
});

describe('resume', () => {
  test.each<[Decisions, object[], string]>([
    [{ call_1: 'approve' }, [{ call_id: 'call_1', decision: 'approve' }], 'Approved.'],
    [
      { call_1: 'reject', call_2: { reject: 'over the limit' } },
      [
        { call_id: 'call_1', decision: 'reject' },
        { call_id: 'call_2', decision: 'reject', note: 'over the limit' },
      ],
      'Rejected.',
    ],
    [
      { call_1: 'approve', call_2: { reject: '' } },
      [
        { call_id: 'call_1', decision: 'approve' },
        { call_id: 'call_2', decision: 'reject' },
      ],
      'Decided.',
    ],
  ])('%j is sent as decisions, with a message', async (given, decisions, message) => {
    server.respondWith(dataResponse(answered));
    const result = await server.client().agents.resume('bot', 'req_1', given);
    expect(result.response).toBe('Done.');
    const [{ path, body: sent } = { path: '', body: '' }] = server.received;
    expect(path).toBe('/v1/agents/bot/invoke');
    expect(JSON.parse(sent)).toEqual({ message, resume: { request_id: 'req_1', decisions } });
  });

  test('takes a message, a context and a key, and streams', async () => {
    server.respondWith(streamOf(answered));
    const { signal } = new AbortController();
    const context = { user_id: 'user-2041' };
    const options = { message: 'Go ahead', context, idempotencyKey: 'mine', signal };
    const stream = server
      .client()
      .agents.resume('bot', 'req_1', { call_1: 'approve' }, { ...options, stream: true });
    expect((await stream.result()).response).toBe('Done.');
    expect(server.received).toMatchObject([
      { headers: { accept: 'text/event-stream', 'idempotency-key': 'mine' } },
    ]);
    expect(JSON.parse(server.received[0]?.body ?? '')).toMatchObject({
      message: 'Go ahead',
      context,
    });
  });

  test('is retried with the same key and body, so that the calls are decided once', async () => {
    server.respondWith(errorResponse(503, 'unavailable'), dataResponse(answered));
    await server.client().agents.resume('bot', 'req_1', { call_1: 'approve' });
    const [first, second] = server.received;
    expect(first?.headers['idempotency-key']).toMatch(/./);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(second?.body).toBe(first?.body);
  });

  test.each([
    [409, 'conflict', ConflictError],
    [403, 'forbidden', ForbiddenError],
  ])('rejects with a %d at once', async (status, code, errorClass) => {
    server.respondWith(errorResponse(status, code, { 'retry-after': '' }));
    const call = server.client().agents.resume('bot', 'req_1', { call_1: 'approve' });
    await expect(call).rejects.toThrow(errorClass);
    expect(server.received).toHaveLength(1);
  });
});

describe('cancel', () => {
  const idempotencyKey = 'mine';

  test('sends what the call sent, with the same key', async () => {
    server.respondWith(accepted);
    const { agents } = server.client();
    await agents.invokeAsync('bot', body, { idempotencyKey });
    const cancelled: AcceptedInvocation | InvocationResult = await agents.cancel('bot', body, {
      idempotencyKey,
      headers: { 'x-trace': '1' },
    });
    expect(cancelled).toEqual({ request_id: 'req_1' });
    const [first, second] = server.received;
    expect(second).toMatchObject({
      path: first?.path,
      body: first?.body,
      headers: { prefer: 'cancel', 'idempotency-key': 'mine', 'x-trace': '1' },
    });
  });

  test('resolves to the result of an invocation that has ended', async () => {
    server.respondWith(dataResponse(answered));
    const { agents } = server.client();
    expect(await agents.cancel('bot', body, { idempotencyKey })).toEqual(answered);
  });

  test('rejects if there is nothing to cancel', async () => {
    server.respondWith(errorResponse(404, 'not_found'));
    const { agents } = server.client();
    const call = agents.cancel('bot', body, { idempotencyKey });
    await expect(call).rejects.toThrow(NotFoundError);
  });
});
