/** `webhooks listen`: signed events are printed, others rejected, and the webhook is deleted at the end. */
import { beforeEach, expect, test } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import type { Tenant } from '../helpers/service.js';
import { useService } from './set-up.js';
import { type RunningCommand, useShell } from './shell.js';

const service = useService({ ALLOW_PRIVATE_TARGETS: 'true' });
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
    /Listening at (\S+)\. /.exec(await listening.waitFor('Ctrl-C ends it.')) ?? [];
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

test('with --json prints one event a line, and cleans up if its output is closed', async () => {
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
  await invoke('Is anybody there?');
  expect(await listening.completed).toMatchObject({ code: 0, stderr: '' });
  expect(await countWebhooks()).toBe(0);
});

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
