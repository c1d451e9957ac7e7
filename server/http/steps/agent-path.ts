/** Which agent a request is about, for the operations whose path in the contract names one. */
import type { Route } from '../../../generated/operations.js';
import type { StepRequest } from '../transport/request.js';

const parameter = 'agent_id';

export function isUnderAgent({ path }: Route): boolean {
  return path.includes(`{${parameter}}`);
}

/** Its id or name as the path has it, before validation; undefined for operations that are not under an agent. */
export function agentOf({ params }: StepRequest): string | undefined {
  return params[parameter];
}
