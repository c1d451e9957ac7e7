/**
 * Finds the agents whose security settings reject the request, for a list that names no agent: otherwise it would show what each of them
 * denies to this caller.
 */
import type { Route } from '../../../generated/operations.js';
import { findViolation } from '../../access/policy.js';
import { callerOf, type Step } from '../transport/request.js';
import { type AgentPolicies, LazyRequestAttributes } from './agent-policy.js';

/** True for lists of agents, keys and webhooks. */
export function listsAccount({ method, path }: Route): boolean {
  return method === 'get' && !path.includes('{');
}

export function hideAgents(route: Route, { policies, source }: AgentPolicies): Step {
  return async (req, _res, next) => {
    const attributes = new LazyRequestAttributes(req, route, source);
    const all = await policies.findAll(callerOf(req).accountId);
    req.hiddenAgents = all
      // Settings that cannot be evaluated reject every request.
      .filter(({ policy }) => !policy || findViolation(policy, attributes))
      .map(({ agentId }) => agentId);
    next();
  };
}
