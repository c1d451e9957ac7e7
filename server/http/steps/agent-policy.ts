/** Holds requests about an agent against the agent's own security settings. */
import { codeRefused, refusalOf } from '../../domain/policy/checks.js';
import type { VerifyCode } from '../../domain/policy/one-time-code.js';
import {
  type AgentPolicy,
  type PolicyCache,
  requireCompiled,
} from '../../domain/policy/policies.js';
import type { MfaOperation, RequestFacts } from '../../domain/policy/policy.js';
import { rateLimited } from '../../domain/errors.js';
import type { Route } from '../../../generated/operations.js';
import type { RateBuckets } from '../../lib/token-bucket.js';
import { agentOf } from './agent-path.js';
import { clientAddress, isHttps } from '../transport/client-address.js';
import { type CertificateSource, clientCertificates } from '../transport/client-certificate.js';
import { callerOf, type Step, type StepRequest } from '../transport/request.js';

export interface AgentPolicies {
  policies: PolicyCache;
  verifyCode: VerifyCode;
  source: CertificateSource;
}

/** An agent that the caller may not see has no policy for it: it gets the 404 of one that does not exist. */
export function enforcePolicy(route: Route, { policies, source }: AgentPolicies): Step {
  return async (req, res, next) => {
    const agentPolicy = await findPolicyFor(req, policies);
    if (agentPolicy) {
      req.agentPolicy = agentPolicy;
      const policy = requireCompiled(agentPolicy);
      if (policy.hsts !== undefined && isHttps(req, source.proxies)) {
        res.setHeader('Strict-Transport-Security', policy.hsts);
      }
      const refusal = refusalOf(policy, factsOf(req, route, source));
      if (refusal) throw refusal;
    }
    next();
  };
}

async function findPolicyFor(
  req: StepRequest,
  policies: PolicyCache,
): Promise<AgentPolicy | undefined> {
  const { accountId, agentId } = callerOf(req);
  const reference = agentOf(req);
  const agentPolicy =
    reference === undefined ? undefined : await policies.find(accountId, reference);
  const isSeen = agentId === null || agentId === agentPolicy?.agentId;
  return isSeen ? agentPolicy : undefined;
}

/** Found out only when a check asks for it: most policies ask for little. */
function factsOf(req: StepRequest, route: Route, source: CertificateSource): RequestFacts {
  return {
    get isHttps() {
      return isHttps(req, source.proxies);
    },
    get address() {
      return clientAddress(req);
    },
    get certificates() {
      return clientCertificates(req, source);
    },
    operation: route.mfa,
    code: codeOf(req),
    now: new Date(),
  };
}

function codeOf({ headers }: StepRequest): string | undefined {
  const code = headers['x-mfa-code'];
  return typeof code === 'string' ? code : undefined;
}

/** A bucket for the agent, beside that of the account, which the headers tell of. */
export function limitAgentRate(buckets: RateBuckets): Step {
  return async ({ agentPolicy }, _res, next) => {
    const limit = agentPolicy?.policy?.rateLimit;
    if (agentPolicy && limit) {
      const { allowed, retryAfter } = await buckets.take(`agent:${agentPolicy.agentId}`, limit);
      if (!allowed) throw rateLimited(retryAfter);
    }
    next();
  };
}

/** Comes after validation: a request that is not carried out anyway must not use up a code. */
export function consumeOneTimeCode(operation: MfaOperation, { verifyCode }: AgentPolicies): Step {
  return async (req, _res, next) => {
    const { agentPolicy } = req;
    if (agentPolicy?.policy?.needsCode.has(operation)) {
      const verdict = await verifyCode(agentPolicy.agentId, codeOf(req) ?? '');
      if (verdict.outcome === 'locked') throw rateLimited(verdict.retryAfter);
      if (verdict.outcome !== 'valid') throw codeRefused();
    }
    next();
  };
}
