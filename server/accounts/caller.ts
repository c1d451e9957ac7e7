/** The caller of a request and what it is authorized to do. */
import type { AgentReference, Permission } from '../../generated/api.js';
import type { OperationId, Route } from '../../generated/operations.js';
import { forbidden, invalid, notFound } from '../contract/errors.js';
import type { AccountLimits } from './tiers.js';

export interface Caller {
  /** The id of the API key, or one derived from the subject of a token. Idempotency keys are scoped to it. */
  id: string;
  /** Null for a token. */
  keyId: string | null;
  /** The subject of a token; null for an API key, which may act for any user. */
  userId: string | null;
  accountId: string;
  limits: AccountLimits;
  permissions: ReadonlySet<Permission>;
  /** When the key expires; null if it never does. Keys that it creates must not outlive it. */
  expiresAt: Date | null;
  /** Operations that are allowed without their permission. */
  operations?: ReadonlySet<OperationId>;
  /** The only agent that the caller may see; null for every agent of the account. */
  agentId: string | null;
}

/** The caller and the request id that log entries about changes contain. */
export interface RequestContext {
  caller: Caller;
  requestId: string;
}

export function assertPermission(
  { permissions, operations, keyId }: Caller,
  { operationId, permission }: Pick<Route, 'operationId' | 'permission'>,
): void {
  if (permissions.has(permission) || operations?.has(operationId)) return;
  const credential = keyId === null ? 'token' : 'key';
  throw forbidden(
    `This ${credential} lacks the permission '${permission}', which the operation needs.`,
  );
}

/** Finds an agent that the caller may see. Reports it as missing otherwise. */
export type FindAgent = (caller: Caller, reference: AgentReference) => Promise<{ id: string }>;

export function maySee({ agentId }: Pick<Caller, 'agentId'>, id: string): boolean {
  return agentId === null || agentId === id;
}

/** An agent outside the caller's scope is reported as missing, so that its existence is not revealed. */
export function requireVisible<Agent extends { id: string }>(
  found: Agent | undefined,
  caller: Caller,
  reference: AgentReference,
): Agent {
  if (found && maySee(caller, found.id)) return found;
  throw agentNotFound(reference);
}

/** The user that a request concerns. A token can only name its own subject. `field` is the field in which the request names a user. */
export function userOf(
  caller: Caller,
  named: string | undefined,
  field: string,
): string | undefined {
  if (caller.userId === null) return named;
  if (named !== undefined && named !== caller.userId) {
    throw invalid({ field, error: 'must be left out or be the subject of the token' });
  }
  return caller.userId;
}

export function agentNotFound(reference: AgentReference): ReturnType<typeof notFound> {
  return notFound(`agent '${reference}'`);
}
