/** Shorthands for the deployment operations. */
import type { Deployment } from '../../../generated/api.js';
import type { Tenant } from './service.js';

export interface DeploymentCalls {
  deploy: (agentId: string, version: string, environment?: string) => Promise<Deployment>;
  rollBack: (agentId: string, deploymentId: string) => Promise<Deployment>;
  /** A page of the agent's deployments. */
  list: (agentId: string, query?: Record<string, string | number>) => Promise<DeploymentPage>;
  /** The `active_deployment_id` of the agent. */
  active: (agentId: string) => Promise<string | null>;
}

export interface DeploymentPage {
  data: Deployment[];
  total: number;
  has_more: boolean;
}

export function deploymentCalls(tenant: Pick<Tenant, 'api'>): DeploymentCalls {
  return {
    deploy: async (agent_id, version, environment = 'production') => {
      const { data } = await tenant.api.expect('createDeployment', 201, {
        path: { agent_id },
        body: { environment, version },
      });
      return data;
    },
    rollBack: async (agent_id, deployment_id) => {
      const { data } = await tenant.api.expect('rollbackDeployment', 200, {
        path: { agent_id, deployment_id },
      });
      return data;
    },
    list: async (agent_id, query = {}) => {
      const { data, pagination } = await tenant.api.expect('listDeployments', 200, {
        path: { agent_id },
        query,
      });
      return { data, total: pagination.total, has_more: pagination.has_more };
    },
    active: async (agent_id) => {
      const { data } = await tenant.api.expect('getAgent', 200, { path: { agent_id } });
      return data.active_deployment_id;
    },
  };
}
