/** `webhooks listen`: prints and forwards signed events, rejects others, and deletes its webhook at the end. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { verifyWebhook } from '../../client/src/index.js';
import { signatureHeaders } from '../../server/webhooks/deliveries/signature.js';
import { disconnect, rawResponse, type Responder, useStubServer } from '../client/stub-server.js';
import { eventually } from '../helpers/eventually.js';
import type { Tenant } from '../helpers/service/service.js';
import { useService } from './set-up.js';
import { type RunningCommand, useShell } from './shell.js';

const service = useService({ ALLOW_PRIVATE_TARGETS: 'true' });
const defaultService = useService();
const receiver = useStubServer();
const shell = useShell();
let tenant: Tenant;

beforeEach(async () => {
  tenant = await service.tenant();
  await tenant.newAgent({ name: 'loud-bot' });
  await shell.login(service.url, tenant.key);
});

async function countWebhooks(): Promise<number> {
  const { pagination } = await tenant.api.expect('listWebhooks', 200);
  return pagination.total;
}

function invoke(message: string) {
  return tenant.api.expect('invokeAgent', 200, {
    path: { agent_id: 'loud-bot' },
    body: { message },
  });
}

async function urlOf(listening: RunningCommand): Promise<string> {
  const [, url = ''] =
    /Listening at (\S+)\. /.exec(await listening.waitFor('Press Ctrl-C to stop.')) ?? [];
  return url;
}

test('prints signed events, rejects forged ones, and deletes its webhook at the end', async () => {
  const listening = shell.start(['webhooks', 'listen', '--port', '0']);
  const url = await urlOf(listening);
  expect(await countWebhooks()).toBe(1);
  const { data } = await invoke('It \u001b[2J works');
  await listening.waitFor(data.request_id);
  expect(listening.stdout()).toMatch(
    /^\S+Z {2}agent\.completed {2}It \\u001b\[2J works {2}req_\w+\n$/,
  );

  const forged = await fetch(url, { method: 'POST', body: '{"type":"agent.completed"}' });
  expect(forged.status).toBe(401);
  await listening.waitFor('Rejected a delivery: The header webhook-id is missing.');

  listening.kill('SIGINT');
  expect((await listening.completed).code).toBe(130);
  expect(await countWebhooks()).toBe(0);
});

test('with --json prints one event per line, and cleans up if its output is closed', async () => {
  const listening = shell.start(['webhooks', 'listen', '--port', '0', '--json']);
  await eventually(async () => {
    expect(await countWebhooks()).toBe(1);
  });
  const { data } = await invoke('Hello');
  await listening.waitFor(data.request_id);
  expect(JSON.parse(listening.stdout())).toMatchObject({
    type: 'agent.completed',
    data: { response: 'Hello' },
  });
  listening.closeOutput();
  await invoke('Hello again');
  expect(await listening.completed).toMatchObject({ code: 0, stderr: '' });
  expect(await countWebhooks()).toBe(0);
});

describe('forwarding', () => {
  const secret = `whsec_${Buffer.from('a secret of the tests').toString('base64')}`;
  const event = { type: 'agent.completed', created_at: 'now', data: { response: 'Hi' } };
  const body = Buffer.from(
    JSON.stringify({ ...event, data: { ...event.data, request_id: 'req_7' } }),
  );

  /** Listens with a known secret, and sends a signed delivery. */
  async function deliver(forwardTo: string, sent = body) {
    const args = ['webhooks', 'listen', '--port', '0', '--forward-to', forwardTo];
    const listening = shell.start(args, { env: { AGENT_HOSTING_WEBHOOK_SECRET: secret } });
    const url = await urlOf(listening);
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = signatureHeaders(secret, { id: 'evt_1', timestamp, body: sent });
    const response = await fetch(url, { method: 'POST', headers, body: sent });
    listening.kill('SIGINT');
    const { stdout } = await listening.completed;
    return { response, headers, stdout };
  }

  test('sends the event unchanged, and returns the status', async () => {
    receiver.respondWith(rawResponse(202, 'thanks'));
    const { response, headers, stdout } = await deliver(`${receiver.url}/hook`);
    expect(response.status).toBe(202);
    expect(receiver.received).toMatchObject([
      { method: 'POST', path: '/hook', headers, body: body.toString() },
    ]);
    expect(stdout).toMatch(/agent\.completed {2}Hi {2}req_7\n {2}→ 202 in \d+ ms {2}req_7\n$/);
  });

  test('shows what waits for approval', async () => {
    receiver.respondWith(rawResponse(204, ''));
    const approvals = [{ call_id: 'call_1', tool: 'refund', arguments: {} }];
    const data = { response: 'May I?', request_id: 'req_7', approvals };
    const paused = Buffer.from(JSON.stringify({ type: 'agent.paused', created_at: 'now', data }));
    const { stdout } = await deliver(receiver.url, paused);
    expect(stdout).toMatch(
      /^now {2}agent\.paused {2}May I\? Waits for approval: refund \(call_1\) {2}req_7\n/,
    );
  });

  test.each<[string, Responder, number, RegExp]>([
    ['fails', rawResponse(503, '', { 'retry-after': '7' }), 503, /→ 503 in .* will try again/],
    [
      'redirects',
      rawResponse(302, '', { location: '/elsewhere' }),
      302,
      /→ 302 in .*redirects are not followed/,
    ],
    ['disconnects', disconnect, 502, /→ failed: .+; the service will try again/],
  ])('returns an error if the receiver %s', async (_kind, responder, status, line) => {
    receiver.respondWith(responder);
    const { response, stdout } = await deliver(receiver.url);
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe(status === 503 ? '7' : null);
    expect(stdout).toMatch(line);
    expect(receiver.received).toHaveLength(1);
  });

  test('returns an error if no receiver is running', async () => {
    const { response, stdout } = await deliver('http://127.0.0.1:65530/hook');
    expect(response.status).toBe(502);
    expect(stdout).toContain('→ failed: connect ECONNREFUSED 127.0.0.1:65530;');
  });

  test('prints the secret with which the receiver can verify events', async () => {
    receiver.respondWith(rawResponse(204, ''));
    const args = ['webhooks', 'listen', '--port', '0', '--json', '--forward-to', receiver.url];
    const listening = shell.start(args);
    const noted = await listening.waitFor('whsec_');
    const [shown = ''] = /whsec_\S+/.exec(noted) ?? [];
    const { data } = await invoke('Hello');
    await listening.waitFor(data.request_id);
    const [delivery] = receiver.received;
    expect(await verifyWebhook(delivery?.body ?? '', delivery?.headers ?? {}, shown)).toMatchObject(
      {
        data: { response: 'Hello' },
      },
    );
    expect(JSON.parse(listening.stdout())).toMatchObject({
      type: 'agent.completed',
      forwarded: { status: 204, duration_ms: expect.any(Number) },
    });
    listening.kill('SIGINT');
    await listening.completed;
  });

  test.each([
    ['localhost:8000', "The URL of --forward-to has no scheme: 'localhost:8000'."],
    ['http://localhost:4242/', 'http://localhost:4242/ is this command itself.'],
  ])('to %s is a usage error', async (forwardTo, message) => {
    const { code, stderr } = await shell.run(['webhooks', 'listen', '--forward-to', forwardTo]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

test.each([['listen'], ['create', '--url', 'http://127.0.0.1:8000']])(
  'webhooks %s says what a service needs to deliver to this machine',
  async (...args) => {
    const { key } = await defaultService.tenant();
    const env = { AGENT_HOSTING_API_KEY: key, AGENT_HOSTING_BASE_URL: defaultService.url };
    const command = ['webhooks', ...args, ...(args.length === 1 ? ['--port', '0'] : [])];
    const { code, stderr } = await shell.run(command, { env });
    expect(code).toBe(2);
    expect(stderr).toContain('Validation failed: url must be https');
    expect(stderr).toContain('ALLOW_PRIVATE_TARGETS=true npm start\n');
    expect(stderr.includes('open a tunnel')).toBe(args.length === 1);
  },
);

test('reports that the port is in use', async () => {
  const first = shell.start(['webhooks', 'listen', '--port', '0']);
  const { port } = new URL(await urlOf(first));
  const second = await shell.run(['webhooks', 'listen', '--port', port]);
  expect(second.code).toBe(1);
  expect(second.stderr).toContain(`Port ${port} cannot be used`);
  first.kill('SIGINT');
  await first.completed;
  expect(await countWebhooks()).toBe(0);
});
