/** `webhooks listen`: what is genuine is printed, what is not is refused, and nothing is left behind. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { startTestService, type Tenant, type TestService } from '../helpers/service.js';
import { createShell, type Running, type Shell } from './shell.js';

let service: TestService;
let tenant: Tenant;
let shell: Shell;

beforeAll(async () => {
  [service, shell] = await Promise.all([
    startTestService({ ALLOW_PRIVATE_TARGETS: 'true' }),
    createShell(),
  ]);
});

beforeEach(async () => {
  tenant = await service.tenant();
  await tenant.newAgent({ name: 'loud-bot' });
  await shell.login(service.url, tenant.key);
});

afterAll(() => service.stop());

async function webhooks(): Promise<number> {
  const { pagination } = await tenant.api.expect('listWebhooks', 200);
  return pagination.total;
}

function invoke(message: string) {
  return tenant.api.expect('invokeAgent', 200, {
    path: { agent_id: 'loud-bot' },
    body: { message },
  });
}

async function addressOf(listening: Running): Promise<string> {
  const [, url = ''] = /Listening at (\S+)\. /.exec(await listening.sees('Ctrl-C ends it.')) ?? [];
  return url;
}

test('prints genuine events, refuses forged ones, and deletes its webhook at the end', async () => {
  const listening = shell.start(['webhooks', 'listen', '--port', '0']);
  const url = await addressOf(listening);
  expect(await webhooks()).toBe(1);
  const { data } = await invoke('It \u001b[2J works');
  await listening.sees(data.request_id);
  expect(listening.stdout()).toMatch(
    /^\S+Z {2}agent\.completed {2}It \ufffd\[2J works {2}req_\w+\n$/,
  );

  const forged = await fetch(url, { method: 'POST', body: '{"type":"agent.completed"}' });
  expect(forged.status).toBe(401);
  await listening.sees('Refused a delivery: The header webhook-id is missing.');

  listening.kill('SIGINT');
  expect((await listening.ended).code).toBe(130);
  expect(await webhooks()).toBe(0);
});

test('with --json prints an event a line, and ends tidily when its reader leaves', async () => {
  const listening = shell.start(['webhooks', 'listen', '--port', '0', '--json']);
  await eventually(async () => {
    expect(await webhooks()).toBe(1);
  });
  const { data } = await invoke('Hello');
  await listening.sees(data.request_id);
  expect(JSON.parse(listening.stdout())).toMatchObject({
    type: 'agent.completed',
    data: { response: 'Hello' },
  });
  listening.leave();
  await invoke('Is anybody there?');
  expect(await listening.ended).toMatchObject({ code: 0, stderr: '' });
  expect(await webhooks()).toBe(0);
});

test('says so if the port is taken', async () => {
  const first = shell.start(['webhooks', 'listen', '--port', '0']);
  const { port } = new URL(await addressOf(first));
  const second = await shell.run(['webhooks', 'listen', '--port', port]);
  expect(second.code).toBe(1);
  expect(second.stderr).toContain(`Port ${port} cannot be used`);
  first.kill('SIGINT');
  await first.ended;
  expect(await webhooks()).toBe(0);
});
