/** The model of deployments: one is active per environment, and each records which one it replaced. */
import { agentMissing } from './agents.js';
import { checkFields, checkList } from './lists.js';
import { notFound, type Refusal, type Rules } from './rule.js';
import { agentOf, type Call, type DeploymentRecord, findAgent } from './state.js';

type Requested = Pick<DeploymentRecord, 'environment' | 'version'>;

export const deploymentRules = {
  listDeployments: {
    refusals: agentMissing,
    checkAndApply: (call, _data, answer) => {
      const { environment, status } = call.request.query;
      const agent = agentOf(call);
      const matching = agent.deployments
        .filter((one) => environment === undefined || one.environment === environment)
        .filter((one) => status === undefined || one.status === status)
        .map((one) => ({ ...one, agent_id: agent.id }));
      checkList(call, answer, { matching, sortable: ['created_at', 'version'] });
    },
  },

  createDeployment: {
    refusals: (call) => {
      const { environment, version } = call.request.body as Requested;
      const agent = findAgent(call, call.request.path['agent_id']);
      if (!agent) return [notFound];
      if (environment === 'draft') return [{ status: 400, field: 'environment' }];
      const isTaken = agent.deployments.some(
        (one) => one.environment === environment && one.version === version,
      );
      return isTaken ? [{ status: 409 }] : [];
    },
    checkAndApply: (call, data: DeploymentRecord) => {
      const agent = agentOf(call);
      const { environment, version } = call.request.body as Requested;
      const replaced = agent.deployments.find(
        (one) => one.environment === environment && one.status === 'active',
      );
      const { model, temperature } = agent;
      const expected = {
        agent_id: agent.id,
        environment,
        version,
        status: 'active',
        model,
        temperature,
        created_by: call.caller.id,
        replaced_deployment_id: replaced?.id ?? null,
      };
      if (replaced) replaced.status = 'superseded';
      const { id, created_at, replaced_deployment_id } = data;
      agent.deployments.push({
        id,
        environment,
        version,
        status: 'active',
        model,
        temperature,
        created_at,
        replaced_deployment_id,
      });
      checkFields(call, data, expected);
    },
  },

  rollbackDeployment: {
    refusals: (call): Refusal[] => {
      const deployment = deploymentOf(call);
      if (!deployment) return [notFound];
      const canGoBack =
        deployment.status === 'active' && deployment.replaced_deployment_id !== null;
      return canGoBack ? [] : [{ status: 409 }];
    },
    checkAndApply: (call, data: DeploymentRecord) => {
      const undone = deploymentOf(call);
      const restored = agentOf(call).deployments.find(
        ({ id }) => id === undone?.replaced_deployment_id,
      );
      if (!undone || !restored) throw new Error('The model lost a deployment.');
      undone.status = 'rolled_back';
      restored.status = 'active';
      checkFields(call, data, { ...restored });
    },
  },
} satisfies Rules;

function deploymentOf(call: Call): DeploymentRecord | undefined {
  const { agent_id: agentId, deployment_id: deploymentId } = call.request.path;
  return findAgent(call, agentId)?.deployments.find(({ id }) => id === deploymentId);
}
