/**
 * Enforces the security settings of agents that a request names outside its path: the agent of a webhook or of a key.
 * Without this check, a webhook could receive responses that the agent's policy denies to the caller.
 */
import type { OperationId, Route } from '../../../generated/operations.js';
import type { Caller } from '../../domain/caller.js';
import { findViolation } from '../../domain/policy/checks.js';
import { type AgentPolicy, requireCompiled } from '../../domain/policy/policies.js';
import { callerOf, type Step, type StepRequest } from '../transport/request.js';
import { isAgentRoute } from './agent-path.js';
import { type AgentPolicies, LazyRequestAttributes } from './agent-policy.js';

/** Without an agent, these operations concern every agent of the account: a webhook without an agent receives all events. */
const affectsAllAgents: ReadonlySet<OperationId> = new Set<OperationId>(['createWebhook']);

/** True for keys and webhooks, which belong to an agent or to the whole account. */
export function mayNameAgent(route: Route): boolean {
  return !isAgentRoute(route) && route.tag !== 'agents';
}

/** Runs after validation, since the body may name the agent. */
export function enforceNamedPolicies(route: Route, parts: AgentPolicies): Step {
  return async (req, _res, next) => {
    for (const agentPolicy of await namedPolicies(route, req, parts)) {
      const attributes = new LazyRequestAttributes(req, route, parts.source);
      const violation = findViolation(requireCompiled(agentPolicy), attributes);
      if (violation) throw violation;
    }
    next();
  };
}

/** Skips agents that the caller may not see: the operation responds to them with the 404 of a missing agent. */
async function namedPolicies(
  { operationId }: Route,
  req: StepRequest,
  { policies, agents }: AgentPolicies,
): Promise<AgentPolicy[]> {
  const caller = callerOf(req);
  const owner = await agents.ownerOf(caller.accountId, req.params);
  const reference = owner ?? referenceIn(req) ?? caller.agentId;
  if (reference === null && affectsAllAgents.has(operationId)) {
    return policies.findAll(caller.accountId);
  }
  const found = reference === null ? undefined : await policies.find(caller.accountId, reference);
  return found && isVisible(caller, found) ? [found] : [];
}

function isVisible({ agentId }: Caller, policy: AgentPolicy): boolean {
  return agentId === null || agentId === policy.agentId;
}

function referenceIn({ body, query }: StepRequest): string | undefined {
  const named = [body as unknown, query].map((place) =>
    typeof place === 'object' && place !== null && 'agent_id' in place ? place.agent_id : undefined,
  );
  return named.find((reference) => typeof reference === 'string');
}
