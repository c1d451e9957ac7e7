/** Seeds an account with resources of each kind, so that lists have pages and deletions find something to delete. */
import { type Operation, operationOf } from './contract.js';
import { type Runner, sendValid } from './send.js';
import { vocabulary } from './text.js';

const permissions = ['read', 'write', 'delete', 'manage'] as const;

const url = 'https://198.41.0.4/';

/** Creates some resources of each kind, of one agent and of the whole account. */
export async function seedAccount(runner: Runner): Promise<void> {
  const [agent] = runner.account.state.agents;
  if (!agent) throw new Error('The account has no agent.');
  for (const [index, permission] of permissions.entries()) {
    const word = vocabulary[index] ?? '';
    const scope = { agent_id: index % 2 === 0 ? agent.name : null };
    const environment = index % 3 === 0 ? 'staging' : 'production';
    const events = index % 2 === 0 ? ['agent.failed'] : ['agent.completed', 'agent.failed'];
    const names = { user_id: `user-${index % 2}`, session_id: `session-${index % 3}` };
    await make(runner, 'createDeployment', { environment, version: `1.${index}` }, agent.id);
    await make(runner, 'createWebhook', { ...scope, url, events });
    await make(runner, 'createApiKey', { ...scope, name: word, permissions: [permission] });
    await make(runner, 'invokeAgent', { message: word, context: names, environment }, agent.id);
  }
  const spent = { name: 'spent', permissions: [...permissions] };
  await make(runner, 'createApiKey', spent);
  const { id = '' } = runner.account.state.keys.at(-1) ?? {};
  const operation = operationOf('revokeApiKey');
  await sendValid(runner, { operation, path: { key_id: id }, query: [], headers: {} });
}

/** Makes sure that an operation that deletes finds something to delete. */
export async function replenish(runner: Runner, { parameters }: Operation): Promise<void> {
  const { state, main, addAgent } = runner.account;
  const names = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
  const living = state.agents.filter(({ isGone }) => !isGone);
  if (living.length < 2) await addAgent();
  if (names.includes('webhook_id') && state.webhooks.every(({ isGone }) => isGone)) {
    await make(runner, 'createWebhook', { url, events: ['agent.completed'] });
  }
  if (names.includes('key_id') && state.keys.every((key) => key === main || key.isGone)) {
    await make(runner, 'createApiKey', { name: 'spare', permissions: ['read'] });
  }
  for (const { id, deployments } of names.includes('deployment_id') ? living : []) {
    const canRollBack = deployments.some(
      (one) => one.status === 'active' && one.replaced_deployment_id !== null,
    );
    for (let count = canRollBack ? 2 : 0; count < 2; count += 1) {
      const version = `2.${deployments.length}`;
      await make(runner, 'createDeployment', { environment: 'production', version }, id);
    }
  }
}

function make(runner: Runner, operationId: string, body: unknown, agentId?: string): Promise<void> {
  const path = agentId === undefined ? {} : { agent_id: agentId };
  return sendValid(runner, {
    operation: operationOf(operationId),
    path,
    query: [],
    headers: {},
    body,
  });
}
