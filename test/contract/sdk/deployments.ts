/** Deployments through the SDK: calls that succeed, and calls that the service rejects. */
import type { OperationId } from '../../../generated/operations.js';
import { type Case, newAgent, type CaseSetup } from './case.js';

const production = (version: string) => ({ environment: 'production', version });

/** A new agent with two deployments. */
async function deployedTwice({ tenant, setUp }: CaseSetup) {
  const { id: agent } = await tenant.newAgent();
  const first = await setUp.deployments.create(agent, production('1'));
  const second = await setUp.deployments.create(agent, production('2'));
  return { agent, first, second };
}

export const deploymentsCases = {
  createDeployment: [
    {
      name: 'a new version',
      status: 201,
      call: async (client, setup) =>
        client.deployments.create(await newAgent(setup), production('1')),
    },
    {
      name: 'into the draft',
      status: 400,
      call: async (client, setup) =>
        client.deployments.create(await newAgent(setup), { environment: 'draft', version: '1' }),
    },
    {
      name: 'a version that is taken',
      status: 409,
      call: async (client, setup) => {
        const { agent } = await deployedTwice(setup);
        return client.deployments.create(agent, production('1'));
      },
    },
  ],
  listDeployments: [
    {
      name: 'with every filter',
      status: 200,
      call: async (client, setup) => {
        const { agent } = await deployedTwice(setup);
        return client.deployments
          .list(agent, { environment: 'production', status: 'active', sort: 'version' })
          .page();
      },
    },
  ],
  rollbackDeployment: [
    {
      name: 'the active one',
      status: 200,
      call: async (client, setup) => {
        const { agent, second } = await deployedTwice(setup);
        return client.deployments.rollback(agent, second.id);
      },
    },
    {
      name: 'one that is not active',
      status: 409,
      call: async (client, setup) => {
        const { agent, first } = await deployedTwice(setup);
        return client.deployments.rollback(agent, first.id);
      },
    },
  ],
} satisfies Partial<Record<OperationId, Case[]>>;
