/** SECRETS_KEY is replaced while services run, following the steps in docs/operations/secrets.md, and no request fails. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { verifyWebhook } from '../../client/src/webhooks.js';
import { createSecrets } from '../../server/installation/key-ring.js';
import { sealContexts } from '../../server/installation/seal-contexts.js';
import { newId } from '../../server/lib/data/typeid.js';
import { type Api, apiClient } from '../helpers/service/api.js';
import { type Authenticator, readEnrolment } from '../helpers/crypto/authenticator.js';
import { useDatabase } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { useFiles } from '../helpers/programs/files.js';
import { operatorInProcess, operatorProcess } from '../helpers/service/operator.js';
import {
  type ServiceProcess,
  startBuilt,
  startServiceProcess,
} from '../helpers/programs/process.js';
import { type Receiver, startReceiver } from '../helpers/servers/receiver.js';
import { environmentFor, testSecrets, testSecretsKey } from '../helpers/service/service.js';

const timeoutMs = 120_000;
const newMasterKey = randomBytes(32);
const [oldKey, newKey] = [testSecretsKey.toString('base64'), newMasterKey.toString('base64')];
const [oldId, currentId] = [testSecrets.keys[0].id, createSecrets(newMasterKey).keys[0].id];

const fixture = useDatabase();
const files = useFiles();
const running = new Set<ServiceProcess>();
let receiver: Receiver;

const environment = (SECRETS_KEY: string, SECRETS_KEY_PREVIOUS = '') => ({
  ...environmentFor({ databaseUrl: fixture.url }),
  SECRETS_KEY,
  SECRETS_KEY_PREVIOUS,
  ALLOW_PRIVATE_TARGETS: 'true',
});
const [withOld, withBoth, withNew] = [
  () => environment(oldKey),
  () => environment(newKey, oldKey),
  () => environment(newKey),
];
const operator = operatorProcess(withBoth);

async function start(variables: () => Record<string, string>): Promise<ServiceProcess> {
  const service = await startServiceProcess({ environment: variables() });
  running.add(service);
  return service;
}

async function replace(service: ServiceProcess, variables: () => Record<string, string>) {
  const next = await start(variables);
  running.delete(service);
  expect(await service.end('SIGTERM')).toBe(0);
  return next;
}

async function refusalOf(variables: () => Record<string, string>): Promise<string> {
  const service = await startBuilt('server/main', [], {
    environment: { PORT: '0', ...variables() },
  });
  expect(await service.ended).toBe(1);
  return service.stderr();
}

/** The credentials of clients from before the rotation. */
const issued = { key: '', webhookSecret: '', webhook: {}, idempotencyKey: randomUUID() };
const guarded: { name: string; authenticator: Authenticator }[] = [];

const createWebhook = (api: Api) =>
  api.expect('createWebhook', 201, {
    headers: { 'idempotency-key': issued.idempotencyKey },
    body: issued.webhook,
  });

/** Every instance serves the old clients, and creates credentials that all instances accept. */
async function expectNothingChanged(...services: ServiceProcess[]): Promise<void> {
  const authenticators = guarded.splice(0, 1);
  for (const service of services) {
    const api = apiClient(service.url, issued.key);
    const replayed = await createWebhook(api);
    expect(replayed.data.secret).toBe(issued.webhookSecret);
    const created = await api.expect('createApiKey', 201, {
      body: { name: 'during the rotation', permissions: ['read'] },
    });
    for (const other of services) {
      await apiClient(other.url, created.data.key).expect('listAgents', 200);
    }
    const { data } = await api.expect('invokeAgent', 200, {
      path: { agent_id: 'echo' },
      body: { message: 'hello' },
    });
    const receipt = await eventually(() => {
      const found = receiver.receipts.find(({ body }) => body.includes(data.request_id));
      if (!found) throw new Error('not delivered yet');
      return found;
    }, 20_000);
    await verifyWebhook(receipt.body, receipt.headers, issued.webhookSecret);
  }
  for (const { name, authenticator } of authenticators) {
    const api = apiClient(services[0]?.url ?? '', issued.key);
    await api.expect('updateAgent', 200, {
      path: { agent_id: name },
      headers: { 'x-mfa-code': authenticator.code() },
      body: { temperature: 0.5 },
    });
  }
}

const statusOf = async (keyId: string) => {
  const keys = (await operator.json('secrets', 'status')) as { key: string }[];
  return keys.find(({ key }) => key === keyId);
};

let [one, two]: ServiceProcess[] = [];

/** The two services; every test runs after the one that started them. */
function services(): [ServiceProcess, ServiceProcess] {
  if (!one || !two) throw new Error('The services did not start.');
  return [one, two];
}

beforeAll(async () => {
  receiver = await startReceiver();
  const first = await start(withOld);
  issued.key = await first.firstKey();
  issued.webhook = { url: receiver.url, events: ['agent.completed'] };
  const created = await createWebhook(apiClient(first.url, issued.key));
  issued.webhookSecret = created.data.secret;
  const inside = operatorInProcess({ database: fixture.database, databaseUrl: fixture.url });
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const text = `name: ${name}\nmodel: builtin/echo\nmfa: { enabled: true, operations: [update] }\n`;
    await inside.json('agents', 'apply', '-f', await files.write(`${name}.yaml`, text));
    const { uri } = (await inside.json('mfa', 'enrol', name)) as { uri: string };
    guarded.push({ name, authenticator: readEnrolment(uri) });
  }
  [one, two] = [first, await start(withOld)];
}, timeoutMs);

afterAll(async () => {
  await Promise.all([...running].map((service) => service.end('SIGTERM')));
  await receiver.close();
});

/** Enough values to kill the rotation halfway. */
async function insertManyWebhooks(count: number): Promise<void> {
  const { id: accountId } = await fixture.database.prisma.account.findFirstOrThrow();
  await fixture.database.prisma.webhook.createMany({
    data: Array.from({ length: count }, () => {
      const id = newId('wh');
      return {
        id,
        accountId,
        url: 'https://example.com',
        host: 'example.com',
        events: ['agent.failed'],
        sealedSecret: testSecrets.seal('whsec_old', sealContexts.webhook(id)),
      };
    }),
  });
}

describe('a rotation of SECRETS_KEY', () => {
  test(
    'is rejected while running services lack the new key',
    async () => {
      await expectNothingChanged(...services());
      const refused = await operator.run(['secrets', 'rotate', '--yes']);
      expect(refused).toMatchObject({ code: 5, stdout: '' });
      expect(refused.stderr).toMatch(
        new RegExp(`do not have the key ${currentId}.*SECRETS_KEY_PREVIOUS`),
      );
      expect(await refusalOf(withNew)).toMatch(
        new RegExp(`another SECRETS_KEY: the key ${oldId}.*SECRETS_KEY is the key ${currentId}`),
      );
    },
    timeoutMs,
  );

  test(
    'begins with a rolling restart, during which services with one key and with both are compatible',
    async () => {
      [one, two] = services();
      one = await replace(one, withBoth);
      await expectNothingChanged(one, two);
      two = await replace(two, withBoth);
      expect(await statusOf(oldId)).toMatchObject({
        configured_as: 'SECRETS_KEY_PREVIOUS',
        active: true,
        api_key_pepper: true,
      });
    },
    timeoutMs,
  );

  test(
    'may be killed halfway without a loss',
    async () => {
      await insertManyWebhooks(4_000);
      const rotation = await startBuilt('server/operator/main', ['secrets', 'rotate', '--yes'], {
        environment: withBoth(),
      });
      const resealed = () =>
        fixture.database.prisma.webhook.count({ where: { sealedKey: currentId } });
      await eventually(async () => {
        expect(await resealed()).toBeGreaterThan(100);
      }, 60_000);
      expect(await rotation.end('SIGKILL')).toBe('SIGKILL');
      expect(await resealed()).toBeLessThan(4_000);
      await expectNothingChanged(...services());
      expect(await statusOf(oldId)).toMatchObject({ active: false, webhooks: expect.any(Number) });
      expect(await refusalOf(withNew)).toMatch(
        new RegExp(
          `still encrypted with a previous SECRETS_KEY \\(key ${oldId}\\).*secrets rotate`,
        ),
      );
    },
    timeoutMs,
  );

  test(
    'continues where it left off, until no value uses the old key',
    async () => {
      expect(await operator.json('secrets', 'rotate', '--yes')).toMatchObject({
        key: currentId,
        activated: false,
      });
      expect(await statusOf(oldId)).toEqual({
        key: oldId,
        configured_as: 'SECRETS_KEY_PREVIOUS',
        active: false,
        webhooks: 0,
        mfa_enrolments: 0,
        idempotency_records: 0,
        stream_events: 0,
        run_steps: 0,
        api_key_pepper: false,
      });
      await expectNothingChanged(...services());
      expect(await statusOf(oldId)).toMatchObject({ webhooks: 0, idempotency_records: 0 });
    },
    timeoutMs,
  );

  test(
    'ends with a rolling restart with only the new key, after which the old one is rejected',
    async () => {
      [one, two] = services();
      one = await replace(one, withNew);
      await expectNothingChanged(one, two);
      two = await replace(two, withNew);
      await expectNothingChanged(one, two);
      expect(await refusalOf(withOld)).toMatch(/another SECRETS_KEY/);
    },
    timeoutMs,
  );
});
