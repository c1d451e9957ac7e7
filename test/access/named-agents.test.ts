/** Calls that name an agent obey its settings: webhooks and keys do not bypass its address list. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { OperationId } from '../../generated/operations.js';
import type { Call } from '../helpers/service/api.js';
import { insertWebhook } from '../helpers/database/rows.js';
import { type Tenant, useService } from '../helpers/service/service.js';

const service = useService();

let tenant: Tenant;
let agentId: string;
let name: string;
let webhookId: string;
let keyId: string;

const closed = { security: { ipWhitelist: { enabled: true, addresses: ['192.0.2.1'] } } };
const open = { security: { ipWhitelist: { enabled: true, addresses: ['127.0.0.1'] } } };

async function prepare(policy: object): Promise<void> {
  tenant = await service.tenant();
  ({ id: agentId, name } = await tenant.newAgent({ policy }));
  webhookId = await insertWebhook(service.database, tenant.accountId, agentId);
  ({ id: keyId } = await tenant.newKey({ agentId }));
}

const url = 'https://8.8.8.8/hook';
const permissions = ['read'];
const events = ['agent.completed'];

const calls: [string, OperationId, () => Call, number][] = [
  ['a webhook for it', 'createWebhook', () => ({ body: { url, events, agent_id: agentId } }), 201],
  [
    'a webhook by its name',
    'createWebhook',
    () => ({ body: { url, events, agent_id: name } }),
    201,
  ],
  ['a webhook for all agents', 'createWebhook', () => ({ body: { url, events } }), 201],
  ['its webhooks', 'listWebhooks', () => ({ query: { agent_id: agentId } }), 200],
  ['deleting its webhook', 'deleteWebhook', () => ({ path: { webhook_id: webhookId } }), 200],
  [
    'a key for it',
    'createApiKey',
    () => ({ body: { name: 'k', permissions, agent_id: agentId } }),
    201,
  ],
  [
    'replacing its key',
    'createApiKey',
    () => ({
      body: {
        name: 'k',
        permissions,
        replaces: { key_id: keyId, expires_at: '2999-01-01T00:00:00Z' },
      },
    }),
    201,
  ],
  ['its keys', 'listApiKeys', () => ({ query: { agent_id: name } }), 200],
  ['revoking its key', 'revokeApiKey', () => ({ path: { key_id: keyId } }), 200],
];

describe('from an address that an agent rejects', () => {
  beforeEach(() => prepare(closed));

  test.each(calls)('%s is a 403, and nothing changes', async (_what, operationId, call) => {
    const { status } = await tenant.api.call(operationId, call());
    expect(status).toBe(403);
    const { prisma } = service.database;
    const where = { accountId: tenant.accountId };
    expect(await prisma.webhook.count({ where })).toBe(1);
    expect(await prisma.apiKey.count({ where: { ...where, revokedAt: null } })).toBe(2);
  });

  test('a key of the agent gets a 403 for every request', async () => {
    const { key } = await tenant.newKey({ agentId });
    for (const operationId of ['listApiKeys', 'listWebhooks'] as const) {
      await service.api(key).expect(operationId, 403);
    }
  });

  test('lists of the account leave it out, with its keys and webhooks', async () => {
    const other = await tenant.newAgent();
    const otherWebhook = await insertWebhook(service.database, tenant.accountId, other.id);
    const webhookForAll = await insertWebhook(service.database, tenant.accountId);
    const shown = {
      listAgents: [other.id],
      listWebhooks: [webhookForAll, otherWebhook],
      listApiKeys: [expect.not.stringMatching(keyId)],
    };
    for (const [operationId, ids] of Object.entries(shown)) {
      const { data, pagination } = await tenant.api.expect(operationId as 'listAgents', 200);
      expect(data.map(({ id }) => id)).toEqual(ids);
      expect(pagination.total).toBe(ids.length);
    }
    const named = await tenant.api.expect('listAgents', 200, { query: { name } });
    expect([named.data, named.pagination.total]).toEqual([[], 0]);
  });

  test('a key of the agent does not list it either', async () => {
    const { key } = await tenant.newKey({ agentId });
    const { data } = await service.api(key).expect('listAgents', 200);
    expect(data).toEqual([]);
  });

  test('calls about no agent, or another one, are allowed', async () => {
    const other = await tenant.newAgent();
    await tenant.api.expect('listWebhooks', 200);
    await tenant.api.expect('createApiKey', 201, { body: { name: 'k', permissions: ['read'] } });
    await tenant.api.expect('createWebhook', 201, {
      body: { url, events: ['agent.completed'], agent_id: other.id },
    });
  });

  test('a caller who cannot see the agent gets a 404', async () => {
    const stranger = await service.tenant();
    await stranger.api.expect('createWebhook', 404, {
      body: { url, events: ['agent.completed'], agent_id: agentId },
    });
    await stranger.api.expect('deleteWebhook', 404, { path: { webhook_id: webhookId } });
  });
});

test('an agent whose settings cannot be evaluated is in no list either', async () => {
  await prepare({ auth: { type: 'jwt', secret: '${env:NEVER_SET}' } });
  for (const operationId of ['listAgents', 'listWebhooks'] as const) {
    const { pagination } = await tenant.api.expect(operationId, 200);
    expect(pagination.total).toBe(0);
  }
});

describe('from an address that the agent accepts', () => {
  beforeEach(() => prepare(open));

  test('lists of the account include it', async () => {
    const shown = { listAgents: [agentId], listWebhooks: [webhookId] };
    for (const [operationId, ids] of Object.entries(shown)) {
      const { data } = await tenant.api.expect(operationId as 'listAgents', 200);
      expect(data.map(({ id }) => id)).toEqual(ids);
    }
  });

  test.each(calls)('%s is allowed', async (_what, operationId, call, expected) => {
    expect((await tenant.api.call(operationId, call())).status).toBe(expected);
  });
});
