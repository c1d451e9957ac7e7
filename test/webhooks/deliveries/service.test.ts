/** From an invocation to its receiver, through the whole service and through a separate worker. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { verifyWebhook } from '../../../client/src/webhooks.js';
import { createAuthority } from '../../helpers/crypto/certificates.js';
import { schemaNamed } from '../../helpers/service/contract.js';
import { eventually } from '../../helpers/eventually.js';
import { useFixture } from '../../helpers/service/fixture.js';
import { operatorProcess } from '../../helpers/service/operator.js';
import { startBuilt } from '../../helpers/programs/process.js';
import {
  answer,
  type Behaviour,
  type Receiver,
  startReceiver,
} from '../../helpers/servers/receiver.js';
import { environmentFor, startTestService, useService } from '../../helpers/service/service.js';
import { temporaryFolder } from '../../helpers/programs/workspace.js';

const development = {
  ALLOW_PRIVATE_TARGETS: 'true',
  // Nothing listens on this port, so this provider always fails.
  LOCAL_BASE_URL: 'http://127.0.0.1:9/v1',
};

const service = useService(development);
const tenant = useFixture(() => service.tenant(), undefined, { perTest: true });
const receivers: Receiver[] = [];

afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function receiving(webhook: object = {}, behave?: Behaviour, owner = tenant) {
  const receiver = await startReceiver(behave);
  receivers.push(receiver);
  const { data } = await owner.api.expect('createWebhook', 201, {
    body: { url: receiver.url, events: ['agent.completed', 'agent.failed'], ...webhook },
  });
  return { receiver, id: data.id, secret: data.secret };
}

const invoke = (agent_id: string, owner = tenant) =>
  owner.api.expect('invokeAgent', 200, { path: { agent_id }, body: { message: 'Hello' } });

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);

function faults(schema: string, body: string): string {
  return ajv.validate(schemaNamed(schema), JSON.parse(body)) ? '' : ajv.errorsText();
}

describe('An invocation', () => {
  test('that succeeded sends an event with its response and without its message', async () => {
    const { receiver, secret } = await receiving();
    const { id } = await tenant.newAgent();
    const { data } = await invoke(id);
    const [receipt] = await receiver.got(1);
    const event = await verifyWebhook(receipt?.body ?? '', receipt?.headers ?? {}, secret);
    expect(event).toMatchObject({ type: 'agent.completed', data: { agent_id: id, ...data } });
    expect(receipt?.headers['webhook-id']).toBe(event.id);
    expect(faults('AgentCompletedEvent', receipt?.body.toString() ?? '')).toBe('');
  });

  test('that failed sends an event with its error', async () => {
    const { receiver, secret } = await receiving();
    const { id } = await tenant.newAgent({ model: 'local/unreachable' });
    const answered = await tenant.api.call('invokeAgent', {
      path: { agent_id: id },
      body: { message: 'Hello' },
    });
    expect(answered.status).toBe(502);
    const [receipt] = await receiver.got(1);
    const event = await verifyWebhook(receipt?.body ?? '', receipt?.headers ?? {}, secret);
    expect(event).toMatchObject({ type: 'agent.failed', data: { agent_id: id } });
    expect(event.data).toMatchObject({ error: { code: 'upstream_error' } });
    expect(faults('AgentFailedEvent', receipt?.body.toString() ?? '')).toBe('');
  });

  test('sends events only to subscribed webhooks', async () => {
    const [mine, other] = [await tenant.newAgent(), await tenant.newAgent()];
    const stranger = await service.tenant();
    const deaf = [
      await receiving({ agent_id: other.id }),
      await receiving({ agent_id: mine.id, events: ['agent.failed'] }),
      await receiving({}, undefined, stranger),
    ];
    const hearing = [await receiving(), await receiving({ agent_id: mine.name })];
    await invoke(mine.id);
    await Promise.all(hearing.map(({ receiver }) => receiver.got(1)));
    const ids = deaf.map(({ id }) => id);
    const made = await service.database.prisma.delivery.count({
      where: { webhookId: { in: ids } },
    });
    expect(made).toBe(0);
  });

  test('logs a failed delivery of its event', async () => {
    const { receiver, id: webhookId } = await receiving({}, answer(500));
    const { id } = await tenant.newAgent();
    const { data } = await invoke(id);
    await receiver.got(1);
    const entries = await eventually(async () => {
      const list = await tenant.api.expect('getLogs', 200, {
        path: { agent_id: id },
        query: { level: 'warn', request_id: data.request_id },
      });
      expect(list.pagination.total).toBe(1);
      return list.data;
    });
    expect(entries[0]?.message).toMatch(
      new RegExp(`^Webhook ${webhookId} starts to fail. The receiver answered 500.`),
    );
    expect(entries[0]?.metadata).toMatchObject({ request_id: data.request_id, attempt: 1 });
  });
});

test('with WORKER=off the service leaves deliveries to workers, which stop on SIGTERM', async () => {
  const quiet = await startTestService({ ...development, WORKER: 'off' });
  const owner = await quiet.tenant();
  const { receiver } = await receiving({}, undefined, owner);
  const environment = { ...development, ...environmentFor(quiet) };
  try {
    await invoke((await owner.newAgent()).id, owner);
    expect(await quiet.database.prisma.delivery.count({ where: { status: 'pending' } })).toBe(1);
    const worker = await startBuilt('server/worker', [], { environment });
    await receiver.got(1, 30_000);
    await worker.printed(/"msg":"Delivering events\."/);
    expect(await worker.end('SIGTERM')).toBe(0);
    expect(worker.stderr()).toBe('');
    const operator = operatorProcess(() => environment);
    const listed = await operator.json('deliveries', 'list', '--account', 'tenant-1');
    expect(listed).toMatchObject([{ status: 'succeeded', attempts: 1 }]);
  } finally {
    await quiet.stop();
  }
});

describe('WEBHOOK_CA_FILE', () => {
  test('adds a certificate authority for receivers', async () => {
    const authority = createAuthority('Acme');
    const file = path.join(await temporaryFolder(), 'acme.pem');
    await writeFile(file, authority.cert);
    const trusting = await startTestService({ ...development, WEBHOOK_CA_FILE: file });
    const certificate = authority.issue({ name: 'receiver', hosts: ['127.0.0.1'] });
    const receiver = await startReceiver(undefined, certificate);
    try {
      const owner = await trusting.tenant();
      await owner.api.expect('createWebhook', 201, {
        body: { url: receiver.url, events: ['agent.completed'] },
      });
      await invoke((await owner.newAgent()).id, owner);
      await receiver.got(1);
    } finally {
      await trusting.stop();
      await receiver.close();
    }
  });

  test('fails the start with an explanation if it holds no certificates', async () => {
    const folder = await temporaryFolder();
    const empty = path.join(folder, 'empty.pem');
    await writeFile(empty, 'nothing');
    for (const [file, problem] of [
      [empty, /WEBHOOK_CA_FILE must contain certificates in PEM/],
      [path.join(folder, 'missing.pem'), /WEBHOOK_CA_FILE cannot be read: .*ENOENT/],
    ] as const) {
      await expect(service.another({ WEBHOOK_CA_FILE: file })).rejects.toThrow(problem);
    }
  });
});
