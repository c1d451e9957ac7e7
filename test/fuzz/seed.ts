/** Seeds an account with resources of each kind, so that lists have pages and deletions find something to delete. */
import { type Operation, operationOf } from './contract.js';
import { type Player, playValid } from './play.js';
import { vocabulary } from './text.js';

const permissions = ['read', 'write', 'delete', 'manage'] as const;

const url = 'https://198.41.0.4/';

/** Creates some resources of each kind, of one agent and of the whole account. */
export async function seedAccount(player: Player): Promise<void> {
  const [agent] = player.account.state.agents;
  if (!agent) throw new Error('The account has no agent.');
  for (const [index, permission] of permissions.entries()) {
    const word = vocabulary[index] ?? '';
    const scope = { agent_id: index % 2 === 0 ? agent.name : null };
    const environment = index % 3 === 0 ? 'staging' : 'production';
    const events = index % 2 === 0 ? ['agent.failed'] : ['agent.completed', 'agent.failed'];
    const names = { user_id: `user-${index % 2}`, session_id: `session-${index % 3}` };
    await make(player, 'createDeployment', { environment, version: `1.${index}` }, agent.id);
    await make(player, 'createWebhook', { ...scope, url, events });
    await make(player, 'createApiKey', { ...scope, name: word, permissions: [permission] });
    await make(player, 'invokeAgent', { message: word, context: names }, agent.id);
  }
  const spent = { name: 'spent', permissions: [...permissions] };
  await make(player, 'createApiKey', spent);
  const { id = '' } = player.account.state.keys.at(-1) ?? {};
  const operation = operationOf('revokeApiKey');
  await playValid(player, { operation, path: { key_id: id }, query: [], headers: {} });
}

/** Makes sure that an operation that deletes finds something to delete. */
export async function replenish(player: Player, { parameters }: Operation): Promise<void> {
  const { state, main, addAgent } = player.account;
  const names = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
  const living = state.agents.filter(({ isGone }) => !isGone);
  if (living.length < 2) await addAgent();
  if (names.includes('webhook_id') && state.webhooks.every(({ isGone }) => isGone)) {
    await make(player, 'createWebhook', { url, events: ['agent.completed'] });
  }
  if (names.includes('key_id') && state.keys.every((key) => key === main || key.isGone)) {
    await make(player, 'createApiKey', { name: 'spare', permissions: ['read'] });
  }
  for (const { id, deployments } of names.includes('deployment_id') ? living : []) {
    const canRollBack = deployments.some(
      (one) => one.status === 'active' && one.replaced_deployment_id !== null,
    );
    for (let count = canRollBack ? 2 : 0; count < 2; count += 1) {
      const version = `2.${deployments.length}`;
      await make(player, 'createDeployment', { environment: 'production', version }, id);
    }
  }
}

function make(player: Player, operationId: string, body: unknown, agentId?: string): Promise<void> {
  const path = agentId === undefined ? {} : { agent_id: agentId };
  return playValid(player, {
    operation: operationOf(operationId),
    path,
    query: [],
    headers: {},
    body,
  });
}
