/** Webhooks and keys through the SDK: calls that succeed, and calls that the service rejects. */
import type { OperationId } from '../../../generated/operations.js';
import { newId } from '../../../server/lib/data/typeid.js';
import { type Case, newAgent } from './case.js';

const hook = { url: 'http://127.0.0.1:9/hook', events: ['agent.completed' as const] };

export const accessCases = {
  createWebhook: [
    { name: 'for the account', status: 201, call: (client) => client.webhooks.create(hook) },
    {
      name: 'for an agent that does not exist',
      status: 404,
      call: (client) => client.webhooks.create({ ...hook, agent_id: 'missing' }),
    },
  ],
  listWebhooks: [
    {
      name: 'of one agent and event',
      status: 200,
      call: async (client, setup) =>
        client.webhooks.list({ agent_id: await newAgent(setup), event: 'agent.completed' }).page(),
    },
  ],
  deleteWebhook: [
    {
      name: 'one that is there',
      status: 200,
      call: async (client, { setUp }) =>
        client.webhooks.delete((await setUp.webhooks.create(hook)).id),
    },
    { name: 'one that is not', status: 404, call: (client) => client.webhooks.delete(newId('wh')) },
  ],
  createApiKey: [
    {
      name: 'for an agent, with an end',
      status: 201,
      call: async (client, setup) =>
        client.keys.create({
          name: 'Help desk',
          permissions: ['read', 'write'],
          agent_id: await newAgent(setup),
          expires_at: '2100-01-01T00:00:00Z',
        }),
    },
    {
      name: 'that replaces another',
      status: 201,
      call: async (client, { tenant }) =>
        client.keys.create({
          name: 'Help desk',
          permissions: ['read', 'write'],
          replaces: { key_id: (await tenant.newKey()).id, expires_at: '2100-01-01T00:00:00Z' },
        }),
    },
  ],
  listApiKeys: [
    {
      name: 'sorted by name',
      status: 200,
      call: (client) => client.keys.list({ sort: 'name' }).page(),
    },
  ],
  revokeApiKey: [
    {
      name: 'one that is there',
      status: 200,
      call: async (client, { tenant }) => client.keys.revoke((await tenant.newKey()).id),
    },
  ],
} satisfies Partial<Record<OperationId, Case[]>>;
