/** The operations on agents. */
import type { Agent, AgentSchedule, AgentSummary } from '../../generated/api.js';
import { shownTemperature } from '../contract/agent-options.js';
import * as agents from './agents.js';
import { deployedSettingsOf, policySettingsOf } from './manifests/conversion.js';
import { maskSecrets } from './masking.js';
import { agentNotFound, type Caller } from '../accounts/caller.js';
import type { OperationContext } from '../accounts/operation-context.js';
import type { Operations } from '../contract/operations.js';
import { list, ok, paging } from '../contract/response.js';
import type { Database } from '../postgres/database.js';
import type { ModelRegistry } from '../models/registry.js';

interface AgentParts {
  database: Database;
  models: ModelRegistry;
  deleteWaiting: agents.DeleteWaiting;
  /** Reads the schedules of an agent, as far as the caller may see them. */
  describeSchedules: (
    database: Database,
    caller: Caller,
    agentId: string,
  ) => Promise<AgentSchedule[]>;
  /** Drops what this instance caches of the agent, so that a change takes effect before it is answered. */
  invalidate: (id: string) => void;
}

export function agentOperations({
  database,
  models,
  deleteWaiting,
  describeSchedules,
  invalidate,
}: AgentParts) {
  const describe = async (agent: agents.DescribedAgent, caller: Caller) => {
    const schedules = agent.hasSchedules ? await describeSchedules(database, caller, agent.id) : [];
    return ok(presentAgent(agent, schedules));
  };

  return {
    listAgents: async ({ query }, { caller, hiddenAgents }) => {
      const { status, name, ...page } = query;
      const found = await agents.listAgents(database, caller, {
        ...paging(page),
        status,
        name,
        hiddenAgents,
      });
      return list(query, found, presentSummary);
    },

    getAgent: async ({ path }, { caller }) =>
      describe(await agents.describeAgent(database, caller, path.agent_id), caller),

    updateAgent: async ({ path, body }, context) => {
      const agent = await agents.updateAgent({ database, models }, context, {
        reference: path.agent_id,
        changes: body,
      });
      invalidate(agent.id);
      return describe(agent, context.caller);
    },

    deleteAgent: async ({ path: { agent_id: reference } }, { caller }) => {
      const { accountId } = caller;
      const { id } = await agents.getAgent(database, caller, reference);
      const isDeleted = await database.transaction((transaction) =>
        agents.deleteAgent(transaction, { accountId, id, deleteWaiting }),
      );
      if (!isDeleted) throw agentNotFound(reference);
      invalidate(id);
      return ok({ id, deleted: true });
    },
  } satisfies Partial<Operations<OperationContext>>;
}

function presentSummary({ id, name, status, createdAt }: agents.AgentListing): AgentSummary {
  return { id, name, status, created_at: createdAt.toISOString() };
}

function presentAgent(agent: agents.DescribedAgent, schedules: AgentSchedule[]): Agent {
  return {
    id: agent.id,
    name: agent.name,
    status: agent.status,
    model: agent.model,
    temperature: agent.temperature ?? shownTemperature,
    instructions: agent.instructions,
    settings: maskSecrets(deployedSettingsOf(agent)),
    policy: maskSecrets(policySettingsOf(agent)),
    ...(schedules.length > 0 ? { schedules } : {}),
    active_deployment_id: agent.activeDeploymentId,
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
  };
}
