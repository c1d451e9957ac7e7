/** The model of agents. */
import type { Answer } from '../http.js';
import { assertMatches } from '../mismatch.js';
import { checkFields, checkList } from './lists.js';
import { notFound, type Rules, when } from './rule.js';
import { agentOf, type AgentRecord, type Call, findAgent, isVisible } from './state.js';

interface AgentData {
  id: string;
  updated_at: string;
}

/** The only model that the service under test can run. */
export const usableModel = 'builtin/echo';

export const agentMissing = (call: Call) =>
  when(findAgent(call, call.request.path['agent_id']) === undefined, notFound);

export const agentRules = {
  listAgents: {
    checkAndApply: (call, _data, answer: Answer) => {
      const { status, name } = call.request.query;
      const matching = call.state.agents
        .filter((agent) => isVisible(call, { ...agent, agent_id: agent.id }))
        .filter((agent) => status === undefined || agent.status === status)
        .filter((agent) => name === undefined || agent.name === name)
        .map(shownAgent);
      checkList(call, answer, { matching, sortable: ['created_at', 'updated_at', 'name'] });
    },
  },

  getAgent: {
    refusals: agentMissing,
    checkAndApply: (call, data: AgentData) => {
      checkFields(call, data, shownAgent(agentOf(call)));
    },
  },

  updateAgent: {
    refusals: (call) => {
      const { model } = call.request.body as Partial<AgentRecord>;
      const isUnusable = model !== undefined && model !== usableModel;
      return [...agentMissing(call), ...when(isUnusable, { status: 400, field: 'model' })];
    },
    checkAndApply: (call, data: AgentData) => {
      const agent = agentOf(call);
      Object.assign(agent, call.request.body);
      assertMatches(
        data.updated_at >= agent.updated_at,
        call.request.operation.pointer,
        () => `updated_at went back from ${agent.updated_at} to ${data.updated_at}`,
      );
      agent.updated_at = data.updated_at;
      checkFields(call, data, shownAgent(agent));
    },
  },

  deleteAgent: {
    refusals: agentMissing,
    checkAndApply: (call, data: AgentData) => {
      const agent = agentOf(call);
      agent.isGone = true;
      for (const owned of [...call.state.keys, ...call.state.webhooks]) {
        if (owned.agent_id === agent.id) owned.isGone = true;
      }
      checkFields(call, data, { id: agent.id, deleted: true });
    },
  },
} satisfies Rules;

function shownAgent({
  id,
  name,
  status,
  model,
  temperature,
  created_at,
  updated_at,
  deployments,
}: AgentRecord) {
  const active = deployments.find(
    (one) => one.environment === 'production' && one.status === 'active',
  );
  const active_deployment_id = active?.id ?? null;
  return { id, name, status, model, temperature, created_at, updated_at, active_deployment_id };
}
