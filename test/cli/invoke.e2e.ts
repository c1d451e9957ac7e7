/** `agents invoke`: waiting for an asynchronous invocation, and the events of a stream. */
import { expect, test } from '@jest/globals';
import {
  dataResponse,
  errorResponse,
  eventStream,
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
