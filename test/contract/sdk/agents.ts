/** Agents through the SDK: calls that succeed, and calls that the service rejects. */
import type { OperationId } from '../../../generated/operations.js';
import { newId } from '../../../server/lib/data/typeid.js';
import { type Case, limitedTo, newAgent, readAll, wrongKey } from './case.js';

export const agentsCases = {
  invokeAgent: [
    {
      name: 'plain',
      status: 200,
      call: async (client, setup) =>
        client.agents.invoke(await newAgent(setup), {
          message: 'Hello',
          context: { user_id: 'user-1', session_id: 'chat-1', order: 5512 },
        }),
    },
    {
      name: 'streamed',
      status: 200,
      call: async (client, setup) =>
        readAll(
          client.agents.invoke(await newAgent(setup), { message: 'Hello' }, { stream: true }),
        ),
    },
    {
      name: 'asynchronous',
      status: 202,
      call: async (client, setup) =>
        client.agents.invokeAsync(await newAgent(setup), { message: 'Hello' }),
    },
    {
      name: 'in the draft',
      status: 200,
      call: async (client, setup) =>
        client.agents.invoke(await newAgent(setup), { message: 'Hello', environment: 'draft' }),
    },
    {
      name: 'in an environment without a deployment',
      status: 404,
      call: async (client, setup) =>
        client.agents.invoke(await newAgent(setup), { message: 'Hello', environment: 'staging' }),
    },
    {
      name: 'an empty message',
      status: 400,
      isInvalid: true,
      call: async (client, setup) => client.agents.invoke(await newAgent(setup), { message: '' }),
    },
    {
      name: 'a token that no tool of the agent gets',
      status: 400,
      isInvalid: true,
      call: async (client, setup) =>
        client.agents.invoke(
          await newAgent(setup),
          { message: 'Hello' },
          { toolAuthorization: 'Bearer of-ada' },
        ),
    },
    {
      name: 'no such agent',
      status: 404,
      call: (client) => client.agents.invoke('missing', { message: 'Hello' }),
    },
    {
      name: 'a key with another body',
      status: 422,
      call: async (client, setup) => {
        const agent = await newAgent(setup);
        const options = { idempotencyKey: newId('req') };
        await client.agents.invoke(agent, { message: 'Hello' }, options);
        return client.agents.invoke(agent, { message: 'Goodbye' }, options);
      },
    },
  ],
  listAgents: [
    {
      name: 'with every filter',
      status: 200,
      call: (client) =>
        client.agents
          .list({ limit: 5, offset: 0, sort: '-name', status: 'running', name: 'echo' })
          .page(),
    },
    {
      name: 'page by page',
      status: 200,
      call: (client) => readAll(client.agents.list({ limit: 2 })),
    },
    {
      name: 'a wrong key',
      status: 401,
      key: wrongKey,
      call: (client) => client.agents.list().page(),
    },
    {
      name: 'a key that may not read',
      status: 403,
      key: limitedTo('write'),
      call: (client) => client.agents.list().page(),
    },
    {
      name: 'a limit out of range',
      status: 400,
      isInvalid: true,
      call: (client) => client.agents.list({ limit: 101 }).page(),
    },
  ],
  getAgent: [
    {
      name: 'by id',
      status: 200,
      call: async (client, setup) => client.agents.get(await newAgent(setup)),
    },
    { name: 'no such agent', status: 404, call: (client) => client.agents.get('missing') },
  ],
  updateAgent: [
    {
      name: 'model and temperature',
      status: 200,
      call: async (client, setup) =>
        client.agents.update(await newAgent(setup), { model: 'builtin/echo', temperature: 0.5 }),
    },
    {
      name: 'an unknown provider',
      status: 400,
      call: async (client, setup) =>
        client.agents.update(await newAgent(setup), { model: 'opnai/gpt' }),
    },
  ],
  deleteAgent: [
    {
      name: 'by id',
      status: 200,
      call: async (client, setup) => client.agents.delete(await newAgent(setup)),
    },
    {
      name: 'a key that may not delete',
      status: 403,
      key: limitedTo('read'),
      call: async (client, setup) => client.agents.delete(await newAgent(setup)),
    },
  ],
} satisfies Partial<Record<OperationId, Case[]>>;
