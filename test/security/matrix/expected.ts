/**
 * The expected response to a call according to the contract, independent of the server's code. Permissions, statuses and
 * roles are read from the contract.
 */
import type { Call } from '../../helpers/service/api.js';
import { type OperationExamples, schemaNamed } from '../../helpers/service/contract.js';

/** The rights of a credential; none if it is invalid. */
export type Grant = 'none' | Rights;

export interface Rights {
  account: string;
  /** The only agent that it is valid for; null for all agents of the account. */
  agent: string | null;
  permissions: readonly string[];
  /** The user of a token; null for an API key. */
  user: string | null;
  /** Whether it may invoke without the permission, as a JWT may. */
  mayInvoke?: boolean;
}

/** The owner of the resources that a call is about. */
export interface Location {
  account: string;
  agent: string;
  /** Whether the agent's settings reject every request of the tests. */
  isClosed?: boolean;
}

export interface Expected {
  status: number;
  /** The error code. */
  code?: string;
  /** Whether the call may change data. */
  changes: boolean;
}

const statusOf = schemaNamed('ErrorCode')['x-http-status'] as Record<string, number>;

export function expectedAnswer(
  operation: OperationExamples,
  call: Call,
  grant: Grant,
  location: Location,
): Expected {
  if (grant === 'none') return refused('unauthorized');
  const isSeen = isVisible(grant, location);
  // A token is valid for the operations of its agent only, and not a credential anywhere else.
  if (grant.user !== null && !(operation.path.includes('{agent_id}') && isSeen)) {
    return refused('unauthorized');
  }
  if (!isPermitted(operation, grant)) return refused('forbidden');
  const content = contentOf(operation, call);
  const { isAddressed, isNamed, user, permissions, isElsewhere, isDecision } = content;
  if (location.isClosed && isSeen && isNamed) return refused('forbidden');
  if (permissions.some((wanted) => !grant.permissions.includes(wanted))) {
    return refused('forbidden');
  }
  if (isAddressed && !isSeen) return refused('not_found');
  if (grant.user !== null && isElsewhere) return refused('forbidden');
  if (grant.user !== null && user !== undefined && user !== grant.user) {
    return refused('invalid_request');
  }
  // Nothing waits there, which says the same of every user's invocation.
  if (isDecision) return refused('conflict');
  return allowed(operation, call);
}

export function isVisible({ account, agent }: Rights, location: Location): boolean {
  return account === location.account && (agent === null || agent === location.agent);
}

function isPermitted({ operationId, permission }: OperationExamples, rights: Rights): boolean {
  const isInvocation = operationId === 'invokeAgent';
  return (
    rights.permissions.includes(String(permission)) || (isInvocation && rights.mayInvoke === true)
  );
}

function allowed({ method, permission, responses }: OperationExamples, { headers }: Call) {
  const successes = responses.map(({ status }) => status).filter((status) => status < 300);
  const status = headers?.['prefer'] === undefined ? Math.min(...successes) : 202;
  return { status, changes: method !== 'get' && permission !== 'read' };
}

function refused(code: string): Expected {
  return { code, status: statusOf[code] ?? 0, changes: false };
}

/** The agents, users and permissions that a call names. */
function contentOf({ path, operationId }: OperationExamples, { body, query }: Call) {
  const request = (body ?? {}) as {
    agent_id?: string;
    permissions?: string[];
    context?: { user_id?: string };
    filter?: { user_id?: string };
    environment?: string;
    resume?: object;
  };
  // A filter matches nothing; everything else finds a resource or is a 404.
  const isAddressed = path.includes('{') || request.agent_id !== undefined;
  return {
    isAddressed,
    isNamed:
      isAddressed ||
      query?.['agent_id'] !== undefined ||
      // Without an agent it receives the events of every agent.
      operationId === 'createWebhook',
    user: request.context?.user_id ?? request.filter?.user_id,
    permissions: request.permissions ?? [],
    /** Only production is for the agent's users. */
    isElsewhere:
      operationId === 'invokeAgent' && (request.environment ?? 'production') !== 'production',
    isDecision: request.resume !== undefined,
  };
}
