/** No secret that the service issued or received is in plain text in its database or its log. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { withConnectTimeout } from '../helpers/database/database.js';
import { generateApiKey } from '../../server/keys/api-key.js';
import { dump } from '../helpers/database/database-state.js';
import { eventually } from '../helpers/eventually.js';
import { useProxy } from '../helpers/servers/database-proxy.js';
import { requestText, exchange } from '../helpers/servers/raw-http.js';
import { testSecretsKey, useInstance, useService, useTenant } from '../helpers/service/service.js';

const service = useService({ LOG_LEVEL: 'trace', WORKER: 'off' });
const proxy = useProxy(service);
const instance = useInstance(service, () => ({
  DATABASE_URL: withConnectTimeout(proxy.url, 5),
}));
const tenant = useTenant(service);
const secrets = new Map<string, string>();

beforeAll(async () => {
  secrets.set('the key of the caller', tenant.key);
  secrets.set('the master key', testSecretsKey.toString('base64'));
  secrets.set('the password of the database', new URL(service.databaseUrl).password);
  await makeSecrets();
  await provokeErrors();
});

/** With an Idempotency-Key, so that the responses with secrets are stored as well. */
async function makeSecrets(): Promise<void> {
  const api = instance.api(tenant.key);
  const { id: agent_id } = await tenant.newAgent();
  for (const [name, scope] of Object.entries({ account: {}, agent: { agent_id } })) {
    const keyed = { headers: { 'idempotency-key': randomUUID() } };
    const key = { name: `${name} key`, permissions: ['read', 'manage'], ...scope };
    const created = await api.expect('createApiKey', 201, { ...keyed, body: key });
    const replayed = await api.expect('createApiKey', 201, { ...keyed, body: key });
    expect(replayed.data.key).toBe(created.data.key);
    secrets.set(`the ${name} key`, created.data.key);
    await instance.api(created.data.key).expect('listApiKeys', 200);

    const webhook = {
      url: 'https://hooks.acme.example/agents',
      events: ['agent.completed'],
      ...scope,
    };
    const hook = await api.expect('createWebhook', 201, { ...keyed, body: webhook });
    secrets.set(`the ${name} webhook's secret`, hook.data.secret);
  }
  await api.call('invokeAgent', { path: { agent_id }, body: { message: 'hello' } });
}

async function provokeErrors(): Promise<void> {
  const forged = generateApiKey();
  secrets.set('a key that was never issued', forged);
  await instance.api(forged).expect('listAgents', 401);
  const auth = { Authorization: `Bearer ${tenant.key}` };
  await exchange(instance.url, `GET /%zz HTTP/9.9\r\nAuthorization: ${auth.Authorization}\r\n\r\n`);
  await exchange(instance.url, requestText('GET', '/v1/agents/%zz', auth));
  await exchange(instance.url, requestText('GET', `/v1/agents?key=${tenant.key}`, auth));
  const body = { name: 'x', permissions: ['read'], secret: tenant.key };
  await instance.api(tenant.key).expect('createApiKey', 400, { body });
  await proxy.cut();
  await eventually(async () => {
    expect((await instance.api(tenant.key).call('listAgents')).status).toBe(503);
  });
  await instance.api(tenant.key).call('createApiKey', {
    headers: { 'idempotency-key': randomUUID() },
    body: { name: 'never made', permissions: ['read'] },
  });
  await proxy.restore();
  await eventually(() => instance.api(tenant.key).expect('listAgents', 200));
}

describe('no secret', () => {
  test('is in the database', async () => {
    const stored = await dump(service.database);
    // Public values are found, which shows that the search works.
    expect(stored).toContain('account key');
    expect(stored).toContain(`ahs_…${secrets.get('the account key')?.slice(-4) ?? '?'}`);
    expect(found(stored)).toEqual([]);
  });

  test('is in the log, at debug level, including errors', () => {
    const logged = [...service.log, ...instance.log].join('');
    expect(logged).toContain('"level":"error"');
    expect(logged).toContain(tenant.accountId);
    expect(found(logged)).toEqual([]);
  });
});

function found(text: string): string[] {
  const forms = (secret: string) => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  ];
  return [...secrets]
    .filter(([, secret]) => forms(secret).some((form) => text.includes(form)))
    .map(([name]) => name);
}
