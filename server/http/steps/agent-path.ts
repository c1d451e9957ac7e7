/** Finds the agent that a request is about, for operations whose path has an agent parameter. */
import type { operations } from '../../../generated/api.js';
import type { Route } from '../../../generated/operations.js';
import type { StepRequest } from '../transport/request.js';

const parameter = 'agent_id' satisfies keyof operations['getAgent']['parameters']['path'];

export function isAgentRoute({ path }: Route): boolean {
  return path.includes(`{${parameter}}`);
}

/** The agent's id or name from the path, not yet validated; undefined for operations without an agent. */
export function agentReferenceOf({ params }: StepRequest): string | undefined {
  return params[parameter];
}
