/** The operations on deployments. */
import type { Deployment } from '../../generated/api.js';
import { shownTemperature } from '../contract/agent-options.js';
import { getAgent } from '../agents/agents.js';
import { deployedSettingsOf } from '../agents/manifests/conversion.js';
import { maskSecrets } from '../agents/masking.js';
import * as deployments from './deployments.js';
import type { OperationContext } from '../accounts/operation-context.js';
import { draft } from '../contract/environments.js';
import { invalid } from '../contract/errors.js';
import type { Operations } from '../contract/operations.js';
import { created, list, ok, paging } from '../contract/response.js';
import type { Database } from '../postgres/database.js';
import type { ModelRegistry } from '../models/registry.js';

interface DeploymentParts {
  database: Database;
  models: ModelRegistry;
  /** Drops what this instance caches of the agent, so that a change takes effect before it is answered. */
  invalidate: (id: string) => void;
}

export function deploymentOperations({ database, models, invalidate }: DeploymentParts) {
  return {
    createDeployment: async ({ path, body }, context) => {
      if (body.environment === draft) throw invalid({ field: 'environment', error: notDeployed });
      const agent = await getAgent(database, context.caller, path.agent_id);
      const response = await context.commit(async (transaction) =>
        created(
          present(
            await deployments.createDeployment(transaction, context, { agent, models, ...body }),
          ),
        ),
      );
      invalidate(agent.id);
      return response;
    },

    listDeployments: async ({ path, query }, { caller }) => {
      const { environment, status, ...page } = query;
      const filter = { agent: path.agent_id, environment, status, ...paging(page) };
      const found = await deployments.listDeployments(database, caller, filter);
      return list(query, found, present);
    },

    rollbackDeployment: async ({ path }, context) => {
      const agent = await getAgent(database, context.caller, path.agent_id);
      const response = await context.commit(async (transaction) =>
        ok(
          present(
            await deployments.rollbackDeployment(transaction, context, {
              agent,
              id: path.deployment_id,
            }),
          ),
        ),
      );
      invalidate(agent.id);
      return response;
    },
  } satisfies Partial<Operations<OperationContext>>;
}

const notDeployed =
  'must not be draft, which is the configuration that is not deployed: choose another name, such as staging';

function present(deployment: deployments.StoredDeployment): Deployment {
  return {
    id: deployment.id,
    agent_id: deployment.agentId,
    environment: deployment.environment,
    version: deployment.version,
    status: deployment.status,
    model: deployment.model,
    temperature: deployment.temperature ?? shownTemperature,
    instructions: deployment.instructions,
    settings: maskSecrets(deployedSettingsOf(deployment)),
    created_at: deployment.createdAt.toISOString(),
    activated_at: deployment.activatedAt.toISOString(),
    created_by: deployment.createdBy,
    replaced_deployment_id: deployment.replacedId,
  };
}
