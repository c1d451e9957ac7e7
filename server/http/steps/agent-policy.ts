/** Enforces an agent's own security settings on requests about it. */
import { agentNotFound, maySee } from '../../accounts/caller.js';
import type { AgentOwners } from './owners.js';
import type { VerifyCode } from '../../access/one-time-code.js';
import { type AgentPolicy, type PolicyCache, requireCompiled } from '../../access/policies.js';
import {
  codeRequired,
  findViolation,
  type MfaOperation,
  type RequestAttributes,
} from '../../access/policy.js';
import { rateLimited } from '../../contract/errors.js';
import type { OperationId, Route } from '../../../generated/operations.js';
import { currentDate } from '../../lib/time/clock.js';
import { agentReferenceOf, isAgentRoute } from './agent-path.js';
import { clientAddress, isHttps } from '../transport/client-address.js';
import { type CertificateSource, clientCertificates } from '../transport/client-certificate.js';
import { callerOf, type Step, type StepRequest } from '../transport/request.js';

export interface AgentPolicies {
  policies: PolicyCache;
  agents: AgentOwners;
  verifyCode: VerifyCode;
  source: CertificateSource;
}

/** Skips agents that the caller may not see: `requireAgent` responds to them as to missing ones. */
export function enforcePolicy(route: Route, { policies, source }: AgentPolicies): Step {
  return async (req, res, next) => {
    const agentPolicy = await findPolicyFor(req, policies);
    if (agentPolicy) {
      req.agentPolicy = agentPolicy;
      const policy = requireCompiled(agentPolicy);
      if (policy.hsts !== undefined && isHttps(req, source.proxies)) {
        res.setHeader('Strict-Transport-Security', policy.hsts);
      }
      const violation = findViolation(policy, new LazyRequestAttributes(req, route, source));
      if (violation) throw violation;
    }
    next();
  };
}

/** These operations check their parameters beyond the contract before they look up the agent, so that a 400 precedes a 404. */
const checkParametersFirst: ReadonlySet<OperationId> = new Set<OperationId>([
  'getLogs',
  'getMetrics',
  'searchMemory',
]);

export function requiresAgentFirst(route: Route): boolean {
  return isAgentRoute(route) && !checkParametersFirst.has(route.operationId);
}

/** Comes after all other checks, so that they respond in the same way whether or not the agent exists. */
export const requireAgent: Step = (req, _res, next) => {
  next(req.agentPolicy ? undefined : agentNotFound(agentReferenceOf(req) ?? ''));
};

async function findPolicyFor(
  req: StepRequest,
  policies: PolicyCache,
): Promise<AgentPolicy | undefined> {
  const caller = callerOf(req);
  const reference = agentReferenceOf(req);
  if (reference === undefined) return undefined;
  const agentPolicy = await policies.find(caller.accountId, reference);
  return agentPolicy && maySee(caller, agentPolicy.agentId) ? agentPolicy : undefined;
}

/** Computes an attribute only when a policy checks it. */
export class LazyRequestAttributes implements RequestAttributes {
  readonly #req: StepRequest;
  readonly #source: CertificateSource;
  readonly operation: RequestAttributes['operation'];

  constructor(req: StepRequest, { mfa }: Route, source: CertificateSource) {
    this.#req = req;
    this.#source = source;
    this.operation = mfa;
  }

  get isHttps() {
    return isHttps(this.#req, this.#source.proxies);
  }

  get address() {
    return clientAddress(this.#req, this.#source.proxies);
  }

  get certificates() {
    return clientCertificates(this.#req, this.#source);
  }

  get code() {
    return mfaCodeOf(this.#req);
  }

  get now() {
    return currentDate();
  }
}

function mfaCodeOf({ headers }: StepRequest): string | undefined {
  const code = headers['x-mfa-code'];
  return typeof code === 'string' ? code : undefined;
}

/**
 * Runs after validation: an invalid request must not consume a code. It also runs after the Idempotency-Key: a repeat, which has no effect
 * of its own, gets the stored response although its code is used.
 */
export function consumeOneTimeCode(operation: MfaOperation, { verifyCode }: AgentPolicies): Step {
  return async (req, _res, next) => {
    const { agentPolicy } = req;
    if (agentPolicy?.policy?.needsCode.has(operation)) {
      const { accountId, agentId } = agentPolicy;
      const given = { caller: callerOf(req).id, code: mfaCodeOf(req) ?? '' };
      const verification = await verifyCode({ accountId, agentId }, given);
      if (verification.outcome === 'locked') throw rateLimited(verification.retryAfter);
      if (verification.outcome !== 'valid') throw codeRequired();
      req.releaseOneTimeCode = verification.release;
    }
    next();
  };
}
