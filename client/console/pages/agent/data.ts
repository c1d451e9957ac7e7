/** Data that several tabs of an agent's page share: the agent, and its deployments. */
import type { Agent, Deployment } from '../../../src/index.js';
import { useLive, type Live } from '../../api/live.js';
import { may } from '../../api/permissions.js';

export function useAgent(agent: string): Live<Agent> {
  return useLive(
    may('read') ? `agent:${agent}` : undefined,
    (client, signal) => client.agents.get(agent, { signal }),
    { everyMs: 15_000 },
  );
}

const maxDeployments = 100;

export function useDeployments(agent: string): Live<Deployment[]> {
  return useLive(
    may('read') ? `deployments:${agent}` : undefined,
    async (client, signal) =>
      (await client.deployments.list(agent, { limit: maxDeployments }, { signal })).data,
    { everyMs: 15_000 },
  );
}

/** The deployment that answers invocations; undefined while the draft does. */
export function activeInProduction(deployments: readonly Deployment[]): Deployment | undefined {
  return deployments.find(
    ({ environment, status }) => environment === 'production' && status === 'active',
  );
}
