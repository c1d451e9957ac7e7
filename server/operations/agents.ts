/** The operations on agents. */
import type { Agent } from '../../generated/api.js';
import * as agents from '../domain/agents/agents.js';
import { paginationOf } from '../domain/page.js';
import type { OperationContext } from './context.js';
import type { Operations } from './contract.js';
import type { Services } from './services.js';

export function agentOperations({ database, models, configurations }: Services) {
  return {
    listAgents: async ({ query }, { caller }) => {
      const { status, name, ...page } = query;
      const found = await agents.listAgents(database, caller, { ...page, status, name });
      return {
        status: 200,
        body: { data: found.items.map(present), pagination: paginationOf(query, found) },
      };
    },

    getAgent: async ({ path }, { caller }) => ({
      status: 200,
      body: {
        success: true,
        data: presentWhole(await agents.getAgent(database, caller, path.agent_id)),
      },
    }),

    updateAgent: async ({ path, body }, context) => {
      const agent = await agents.updateAgent(database, models, context, path.agent_id, body);
      configurations.forget(agent.id);
      return { status: 200, body: { success: true, data: presentWhole(agent) } };
    },

    deleteAgent: async ({ path }, { caller }) => {
      const id = await agents.deleteAgent(database, caller, path.agent_id);
      configurations.forget(id);
      return { status: 200, body: { success: true, data: { id, deleted: true } } };
    },
  } satisfies Partial<Operations<OperationContext>>;
}

function present({ id, name, status, createdAt }: agents.AgentListing) {
  return { id, name, status, created_at: createdAt.toISOString() };
}

function presentWhole(agent: agents.StoredAgent): Agent {
  return {
    id: agent.id,
    name: agent.name,
    status: agent.status,
    model: agent.model,
    temperature: agent.temperature,
    active_deployment_id: agent.activeDeploymentId,
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
  };
}
