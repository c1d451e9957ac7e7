/** Holds requests about an agent against the agent's own security settings. */
import { codeRefused, refusalOf } from '../../domain/policy/checks.js';
import type { VerifyCode } from '../../domain/policy/one-time-code.js';
import { type Guard, type Policies, policyOf } from '../../domain/policy/policies.js';
import type { MfaOperation, RequestFacts } from '../../domain/policy/policy.js';
import { rateLimited } from '../../domain/errors.js';
import type { Route } from '../../../generated/operations.js';
import type { RateBuckets } from '../../lib/token-bucket.js';
import { agentOf } from '../agent-path.js';
import { clientAddress, isHttps } from '../transport/client-address.js';
import { type CertificateSource, clientCertificates } from '../transport/client-certificate.js';
import { callerOf, type Step, type StepRequest } from '../request.js';

export interface Guarding {
  policies: Policies;
  verifyCode: VerifyCode;
  source: CertificateSource;
}

/** An agent that the caller may not see has no policy for it: it gets the 404 of one that does not exist. */
export function enforcePolicy(route: Route, { policies, source }: Guarding): Step {
  return async (req, res, next) => {
    const guard = await guardOf(req, policies);
    if (guard) {
      req.guard = guard;
      const policy = policyOf(guard);
      if (policy.hsts !== undefined && isHttps(req, source.proxies)) {
        res.setHeader('Strict-Transport-Security', policy.hsts);
      }
      const refusal = refusalOf(policy, factsOf(req, route, source));
      if (refusal) throw refusal;
    }
    next();
  };
}

async function guardOf(req: StepRequest, policies: Policies): Promise<Guard | undefined> {
  const { accountId, agentId } = callerOf(req);
  const reference = agentOf(req);
  const guard = reference === undefined ? undefined : await policies.find(accountId, reference);
  const isSeen = agentId === null || agentId === guard?.agentId;
  return isSeen ? guard : undefined;
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
  return async ({ guard }, _res, next) => {
    const limit = guard?.policy?.rateLimit;
    if (guard && limit) {
      const { allowed, retryAfter } = await buckets.take(`agent:${guard.agentId}`, limit);
      if (!allowed) throw rateLimited(retryAfter);
    }
    next();
  };
}

/** Comes after validation: a request that is not carried out anyway must not use up a code. */
export function useUpCode(operation: MfaOperation, { verifyCode }: Guarding): Step {
  return async (req, _res, next) => {
    const { guard } = req;
    if (guard?.policy?.needsCode.has(operation)) {
      const verdict = await verifyCode(guard.agentId, codeOf(req) ?? '');
      if (verdict.outcome === 'locked') throw rateLimited(verdict.retryAfter);
      if (verdict.outcome !== 'valid') throw codeRefused();
    }
    next();
  };
}
