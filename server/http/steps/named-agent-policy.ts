/**
 * Enforces the security settings of agents that a request names outside its path: the agent of a webhook or of a key.
 * Without this check, a webhook could receive responses that the agent's policy denies to the caller.
 */
import type { OperationId, Route } from '../../../generated/operations.js';
import { maySee } from '../../accounts/caller.js';
import { findViolation } from '../../access/policy.js';
import { type AgentPolicy, requireCompiled } from '../../access/policies.js';
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
  const { accountId } = caller;
  const owner = await agents.ownerOf(accountId, req.params);
  const reference = owner ?? referenceIn(req) ?? caller.agentId;
  if (reference === null && affectsAllAgents.has(operationId)) {
    return policies.findAll(accountId);
  }
  // To replace a key is to end it, so the settings of its agent apply as they do to its revocation.
  const replacedOwner = await agents.ownerOf(accountId, replacedKeyIn(req));
  const references = [reference, replacedOwner].filter((one) => typeof one === 'string');
  const found = await Promise.all(references.map((one) => policies.find(accountId, one)));
  return found.flatMap((one) => (one && maySee(caller, one.agentId) ? [one] : []));
}

function referenceIn({ body, query }: StepRequest): string | undefined {
  const named = [body as unknown, query].map((place) => fieldOf(place, 'agent_id'));
  return named.find((reference) => typeof reference === 'string');
}

function replacedKeyIn({ body }: StepRequest): { key_id?: string } {
  const keyId = fieldOf(fieldOf(body, 'replaces'), 'key_id');
  return typeof keyId === 'string' ? { key_id: keyId } : {};
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
