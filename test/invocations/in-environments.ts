/** Agents with deployments in several environments, and requests that name one. */
import { insertDeployment } from '../helpers/database/rows.js';
import type { Call } from '../helpers/service/api.js';
import { recordsOnceFinished, useServiceWithModel } from './service-with-model.js';

export interface Saying {
  environment?: string;
  context?: object;
  headers?: Call['headers'];
}

export const saying = (
  agent_id: string,
  message: string,
  { environment, context, headers = {} }: Saying = {},
): Call => ({
  path: { agent_id },
  headers,
  body: {
    message,
    ...(environment === undefined ? {} : { environment }),
    ...(context ? { context } : {}),
  },
});

export const later = { prefer: 'respond-async' };

export function useEnvironments() {
  const fixture = useServiceWithModel();
  return {
    fixture,
    say: async (agentId: string, message: string, how?: Saying) => {
      const call = saying(agentId, message, how);
      const { data } = await fixture.tenant.api.expect('invokeAgent', 200, call);
      return data;
    },
    /** Resolves to what it has left. */
    sayLater: async (agentId: string, message: string, how: Saying = {}) => {
      const call = saying(agentId, message, { ...how, headers: { ...later, ...how.headers } });
      const { data } = await fixture.tenant.api.expect('invokeAgent', 202, call);
      return recordsOnceFinished(fixture.service, data.request_id);
    },
    /** An agent with the models `local/draft`, `local/live` in production and `local/staged` in staging. */
    newDeployedAgent: async () => {
      const agent = await fixture.newAgent({ model: 'local/draft' });
      const { database } = fixture.service;
      const live = await insertDeployment(database, agent.id, { model: 'local/live' });
      const staging = { environment: 'staging', model: 'local/staged' };
      const staged = await insertDeployment(database, agent.id, staging);
      return { ...agent, live, staged };
    },
    lastModel: () => fixture.provider.prompts().at(-1)?.model,
    lastMessages: () =>
      fixture.provider
        .prompts()
        .at(-1)
        ?.messages.map(({ text }) => text),
  };
}
