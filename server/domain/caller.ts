/** Who makes a request, and what that allows. */
import type { AgentReference, Permission } from '../../generated/api.js';
import type { OperationId, Route } from '../../generated/operations.js';
import { forbidden, notFound } from './errors.js';
import type { Tier } from '../lib/tiers.js';

export interface Caller {
  /** What idempotency is scoped to: the id of the key, or the subject of a token. */
  id: string;
  /** The API key, unless the caller came with a token. */
  keyId: string | null;
  accountId: string;
  tier: Tier;
  permissions: ReadonlySet<Permission>;
  /** Operations that the caller may use without their permission. */
  operations?: ReadonlySet<OperationId>;
  /** The one agent that the caller may see; null for every agent of the account. */
  agentId: string | null;
}

/** A caller in the act of one request, which what it changes is traced back to. */
export interface RequestContext {
  caller: Caller;
  requestId: string;
}

export function assertPermission(
  { permissions, operations, keyId }: Caller,
  { operationId, permission }: Pick<Route, 'operationId' | 'permission'>,
): void {
  if (permissions.has(permission) || operations?.has(operationId)) return;
  const bearer = keyId === null ? 'token' : 'key';
  throw forbidden(
    `This ${bearer} lacks the permission '${permission}', which the operation needs.`,
  );
}

/** What a caller may not see does not exist for it. */
export function assertVisible(caller: Caller, agentId: string, reference: AgentReference): void {
  if (caller.agentId !== null && caller.agentId !== agentId) throw agentNotFound(reference);
}

export function agentNotFound(reference: AgentReference): ReturnType<typeof notFound> {
  return notFound(`agent '${reference}'`);
}
