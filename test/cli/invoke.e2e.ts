/** `agents invoke`: waiting for an asynchronous invocation, and the events of a stream. */
import { describe, expect, test } from '@jest/globals';
import {
  dataResponse,
  errorResponse,
  eventStream,
  finalErrorResponse,
  jsonResponse,
  serverSentEvent,
  useStubServer,
} from '../client/stub-server.js';
import { exampleKey, useShell } from './shell.js';

const server = useStubServer();
const shell = useShell();
const accepted = jsonResponse(202, { success: true, data: { request_id: 'req_1' } });
const result = { response: 'Done.', request_id: 'req_1', tokens_used: 1, duration_ms: 1 };
const env = () => ({ AGENT_HOSTING_API_KEY: exampleKey, AGENT_HOSTING_BASE_URL: server.url });
const args = ['agents', 'invoke', 'researcher', 'Compare', '--async', '--wait'];

function usedKeys(): Set<unknown> {
  return new Set(server.received.map(({ headers }) => headers['idempotency-key']));
}

test('--wait repeats the same request until there is a result', async () => {
  server.respondWith(accepted, accepted, dataResponse(result));
  expect(await shell.run(args, { env: env() })).toEqual({ code: 0, stdout: 'Done.\n', stderr: '' });
  expect(server.received.map(({ headers }) => headers['prefer'])).toEqual([
    'respond-async',
    'respond-async, wait=20',
    'respond-async, wait=20',
  ]);
  expect(usedKeys().size).toBe(1);
});

test('the idempotency key can be chosen, and the result is JSON with --json', async () => {
  server.respondWith(accepted, dataResponse(result));
  const { stdout } = await shell.run([...args, '--idempotency-key', 'mine', '--json'], {
    env: env(),
  });
  expect(JSON.parse(stdout)).toEqual(result);
  expect([...usedKeys()]).toEqual(['mine']);
});

test.each([
  [
    '',
    { stream: eventStream([serverSentEvent('done', result)], 'end') },
    ['agents', 'invoke', 'desk', 'Hi'],
  ],
  ['--async', { accepted }, ['agents', 'invoke', 'desk', 'Hi', '--async']],
  ['chat', { stream: eventStream([serverSentEvent('done', result)], 'end') }, ['chat', 'desk']],
])('tools act with AGENT_HOSTING_TOOL_AUTHORIZATION: %s', async (_, answers, command) => {
  server.respondWith(...Object.values(answers));
  const AGENT_HOSTING_TOOL_AUTHORIZATION = 'Bearer of-ada';
  const options = { env: { ...env(), AGENT_HOSTING_TOOL_AUTHORIZATION }, input: 'Hi\n' };
  expect(await shell.run(command, options)).toMatchObject({ code: 0 });
  expect(server.received[0]?.headers['x-tool-authorization']).toBe('Bearer of-ada');
  await shell.run(command, { ...options, env: { ...env(), AGENT_HOSTING_TOOL_AUTHORIZATION: '' } });
  expect(server.received.at(-1)?.headers['x-tool-authorization']).toBeUndefined();
});

test('who approves does not lend the tools their own token', async () => {
  server.respondWith(eventStream([serverSentEvent('done', result)], 'end'));
  const command = ['agents', 'approve', 'desk', 'req_1', '--approve', 'call_1'];
  const AGENT_HOSTING_TOOL_AUTHORIZATION = 'Bearer of-the-boss';
  const options = { env: { ...env(), AGENT_HOSTING_TOOL_AUTHORIZATION } };
  expect(await shell.run(command, options)).toMatchObject({ code: 0 });
  expect(server.received).toHaveLength(1);
  expect(server.received[0]?.headers['x-tool-authorization']).toBeUndefined();
});

test('the command fails with the error of the invocation', async () => {
  server.respondWith(accepted, errorResponse(422, 'idempotency_mismatch'));
  expect((await shell.run(args, { env: env() })).code).toBe(5);
});

test('after a failure of the model the command says where the reason is logged', async () => {
  server.respondWith(errorResponse(502, 'upstream_error'));
  const { code, stderr } = await shell.run(['agents', 'invoke', 'researcher', 'Hi'], {
    env: env(),
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/agent-hosting logs AGENT --request req_\w+\n/);
});

test.each([
  [429, 'rate_limited'],
  [502, 'upstream_error'],
  [503, 'unavailable'],
])(
  'an error %d that must not be repeated is requested once, and says what repeating it would do',
  async (status, code) => {
    const invoke = ['agents', 'invoke', 'researcher', 'Hi'];
    server.respondWith(finalErrorResponse(status, code));
    const failed = await shell.run(invoke, { env: env() });
    expect(server.received).toHaveLength(1);
    // Not 6, after which scripts try again.
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('agent-hosting logs AGENT --request req_1\n');
    expect(failed.stderr).toContain(
      "Send the message again only if the effects of the agent's tool calls may happen a second time.",
    );
    expect(failed.stderr).not.toContain('Try again');

    server.respondWith(accepted, finalErrorResponse(status, code));
    const json = await shell.run([...args, '--json'], { env: env() });
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code, retryable: false } });
    expect(server.received).toHaveLength(2);
  },
);

test('a message that is too long is not said to have had effects', async () => {
  server.respondWith(finalErrorResponse(413, 'payload_too_large'));
  const { code, stderr } = await shell.run(['agents', 'invoke', 'researcher', 'Hi'], {
    env: env(),
  });
  expect(code).toBe(1);
  expect(stderr).toBe('error: It is payload_too_large. (payload_too_large)\nrequest req_1\n');
});

test.each([
  ['length', 'The reply is cut: the model reached its output limit.\n'],
  ['content_filter', "The reply is incomplete: the provider's content filter stopped it.\n"],
  [
    'steps',
    'The reply may be incomplete: the agent reached its limit of steps and had to answer.\n',
  ],
  ['stop', ''],
  ['constructor', ''],
])('the finish reason %s is told on standard error', async (reason, told) => {
  const ended = { ...result, finish_reason: reason };
  const streamed = eventStream(
    [serverSentEvent('delta', { text: 'Done.' }, 'req_1.1'), serverSentEvent('done', ended)],
    'end',
  );
  const invoke = ['agents', 'invoke', 'researcher', 'Compare'];
  for (const [options, ...responses] of [
    [[], streamed],
    [['--no-stream'], dataResponse(ended)],
    [['--async'], dataResponse(ended)],
    [['--async', '--wait'], accepted, dataResponse(ended)],
  ] as const) {
    server.respondWith(...responses);
    expect(await shell.run([...invoke, ...options], { env: env() })).toEqual({
      code: 0,
      stdout: 'Done.\n',
      stderr: told,
    });
  }
  server.respondWith(dataResponse(ended));
  const json = await shell.run([...invoke, '--json'], { env: env() });
  expect(JSON.parse(json.stdout)).toEqual(ended);
  expect(json.stderr).toBe('');
});

test('a blank message is not sent', async () => {
  server.respondWith(dataResponse(result));
  for (const [message, input] of [
    [' \n\t', ''],
    ['-', ' \n\n'],
  ] as const) {
    const { code, stderr } = await shell.run(['agents', 'invoke', 'researcher', message], {
      env: env(),
      input,
    });
    expect(code).toBe(2);
    expect(stderr).toContain('is empty.');
  }
  expect(server.received).toEqual([]);
});

test('--json --stream prints the events of a stream as JSON lines', async () => {
  const tool = { call_id: 'call_1', name: 'orders_lookup', status: 'started' };
  const events = [
    serverSentEvent('tool', tool, 'req_1.1'),
    serverSentEvent('delta', { text: 'Done.' }, 'req_1.2'),
    serverSentEvent('done', result, 'req_1.3'),
  ];
  server.respondWith(eventStream(events, 'end'));
  const invoke = ['agents', 'invoke', 'researcher', 'Compare'];
  const { stdout } = await shell.run([...invoke, '--json', '--stream'], { env: env() });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { id: 'req_1.1', event: 'tool', data: tool },
    { id: 'req_1.2', event: 'delta', data: { text: 'Done.' } },
    { id: 'req_1.3', event: 'done', data: result },
  ]);
  server.respondWith(eventStream(events, 'end'));
  // Tool calls are not shown, since standard error is not a terminal.
  expect(await shell.run(invoke, { env: env() })).toEqual({
    code: 0,
    stdout: 'Done.\n',
    stderr: '',
  });
});

test('after Ctrl-C the command says how to get the result later', async () => {
  server.respondWith(accepted);
  const waiting = shell.start(args, { env: env() });
  await server.waitForRequests(2);
  waiting.kill('SIGINT');
  const { code, stderr } = await waiting.completed;
  expect(code).toBe(130);
  const [key = ''] = [...usedKeys()];
  expect(stderr).toContain(`repeat the command with --idempotency-key ${String(key)}\n`);
});

describe('an invocation that waits for approval', () => {
  const waiting = {
    ...{ ...result, response: 'May I?', status: 'requires_approval' },
    approvals: [
      {
        ...{ call_id: 'call_1', tool: 'refund', arguments: { order_id: '5512' } },
        ...{ approver: 'caller', expires_at: '2026-11-03T09:30:01.000Z' },
      },
    ],
  };
  const invoke = ['agents', 'invoke', 'support bot', 'Refund it'];
  const streamed = eventStream(
    [serverSentEvent('delta', { text: 'May I?' }, 'req_1.1'), serverSentEvent('done', waiting)],
    'end',
  );

  test('is shown on standard error, with the command that decides, and has its own exit code', async () => {
    for (const [options, ...responses] of [
      [[], streamed],
      [['--no-stream'], dataResponse(waiting)],
      [['--async'], dataResponse(waiting)],
      [['--async', '--wait'], accepted, dataResponse(waiting)],
    ] as const) {
      server.respondWith(...responses);
      expect(await shell.run([...invoke, ...options], { env: env() })).toEqual({
        code: 7,
        stdout: 'May I?\n',
        stderr: `Waits for approval: refund  call_1, until 2026-11-03 09:30:01Z
  {
    "order_id": "5512"
  }
To approve: agent-hosting agents approve 'support bot' req_1 --approve call_1
To reject a call: --reject CALL or --reject CALL=REASON in place of its --approve.
`,
      });
    }
  });

  test('is printed as the API returns it with --json', async () => {
    server.respondWith(dataResponse(waiting));
    const { code, stdout, stderr } = await shell.run([...invoke, '--json'], { env: env() });
    expect({ code, stderr }).toEqual({ code: 7, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(waiting);
    server.respondWith(streamed);
    const events = await shell.run([...invoke, '--json', '--stream'], { env: env() });
    expect(events.code).toBe(7);
    expect(JSON.parse(events.stdout.trimEnd().split('\n').at(-1) ?? '')).toEqual({
      event: 'done',
      data: waiting,
    });
  });

  test('goes on once agents approve has decided its calls', async () => {
    const approve = ['agents', 'approve', 'support-bot', 'req_1', '--approve', 'call_1'];
    const reject = ['--reject', 'call_2', '--reject', 'call_3=a=b', '--message', 'Go on'];
    const done = serverSentEvent('done', result, 'req_2.2');
    server.respondWith(
      eventStream([serverSentEvent('delta', { text: 'Done.' }, 'req_2.1'), done], 'end'),
    );
    expect(await shell.run([...approve, ...reject], { env: env() })).toEqual({
      code: 0,
      stdout: 'Done.\n',
      stderr: '',
    });
    expect(server.received).toMatchObject([
      { path: '/v1/agents/support-bot/invoke', headers: { accept: 'text/event-stream' } },
    ]);
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
      message: 'Go on',
      resume: {
        request_id: 'req_1',
        decisions: [
          { call_id: 'call_1', decision: 'approve' },
          { call_id: 'call_2', decision: 'reject' },
          { call_id: 'call_3', decision: 'reject', note: 'a=b' },
        ],
      },
    });

    server.respondWith(dataResponse(waiting));
    const again = await shell.run([...approve, '--json', '--idempotency-key', 'mine'], {
      env: env(),
    });
    expect(again.code).toBe(7);
    expect(JSON.parse(again.stdout)).toEqual(waiting);
    expect([...usedKeys()]).toEqual(['mine']);

    server.respondWith(errorResponse(409, 'conflict', { 'retry-after': '' }));
    expect((await shell.run(approve, { env: env() })).code).toBe(5);
  });

  test.each([
    [[], 'No call is decided.'],
    [['--approve', 'call_1', '--reject', 'call_1=no'], 'call_1 is decided twice.'],
  ])('is not decided by agents approve with %j', async (options, message) => {
    server.respondWith(dataResponse(result));
    const approve = ['agents', 'approve', 'support-bot', 'req_1', ...options];
    const { code, stderr } = await shell.run(approve, { env: env() });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(server.received).toEqual([]);
  });
});

test('Ctrl-C during a reply cancels the invocation', async () => {
  server.respondWith(eventStream([serverSentEvent('delta', { text: 'We' }, 'req_1.1')], 'hang'));
  const running = shell.start(['agents', 'invoke', 'researcher', 'Compare'], { env: env() });
  await running.waitFor('We');
  running.kill('SIGINT');
  expect((await running.completed).code).toBe(130);
  const [first, second] = server.received;
  expect(second).toMatchObject({
    body: first?.body,
    headers: {
      prefer: 'cancel, grace=0',
      'idempotency-key': first?.headers['idempotency-key'],
    },
  });
});
