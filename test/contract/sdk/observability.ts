/** Logs, metrics and memory through the SDK: calls that succeed, and calls that the service rejects. */
import type { OperationId } from '../../../generated/operations.js';
import { type Case, newAgent } from './case.js';

export const observabilityCases = {
  getLogs: [
    {
      name: 'with every filter',
      status: 200,
      call: async (client, setup) => {
        const agent = await newAgent(setup);
        const { request_id } = await setup.setUp.agents.invoke(agent, { message: 'Hello' });
        const start_time = '2026-01-01T00:00:00Z';
        const end_time = '2100-01-01T00:00:00.000Z';
        const environment = 'production';
        return client.logs
          .list(agent, {
            level: 'info',
            request_id,
            environment,
            start_time,
            end_time,
            limit: 1000,
          })
          .page();
      },
    },
  ],
  getMetrics: [
    {
      name: 'the last hour',
      status: 200,
      call: async (client, setup) => {
        const agent = await newAgent(setup);
        await setup.setUp.agents.invoke(agent, { message: 'Hello' });
        const start_time = new Date(Date.now() - 3_600_000).toISOString();
        return client.metrics.get(agent, {
          metric: 'throughput',
          start_time,
          granularity: '5m',
          environment: 'draft',
        });
      },
    },
  ],
  searchMemory: [
    {
      name: 'of one user',
      status: 200,
      call: async (client, setup) => {
        const agent = await newAgent(setup);
        const context = { user_id: 'user-1' };
        await setup.setUp.agents.invoke(agent, { message: 'A refund, please', context });
        return client.memory.search(agent, {
          query: 'refunds',
          limit: 5,
          filter: { ...context, environment: 'production' },
        });
      },
    },
  ],
  clearMemory: [
    {
      name: 'all of it',
      status: 200,
      call: async (client, setup) => client.memory.clear(await newAgent(setup)),
    },
  ],
} satisfies Partial<Record<OperationId, Case[]>>;
