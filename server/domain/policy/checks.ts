/** What an agent's policy refuses, as an ordered list: the first check that objects decides the answer. */
import { isCodeForm } from '../../lib/totp.js';
import { forbidden, type ServiceError } from '../errors.js';
import type { Policy, RequestAttributes } from './policy.js';

export type Check = (policy: Policy, facts: RequestAttributes) => ServiceError | undefined;

const overHttps: Check = ({ enforceHttps }, { isHttps }) =>
  enforceHttps && !isHttps ? forbidden('This agent takes requests over https only.') : undefined;

const fromAllowedAddress: Check = ({ networks }, { address }) =>
  networks && !networks.includes(address)
    ? forbidden('This agent takes no requests from this address.')
    : undefined;

const withClientCertificate: Check = ({ clientAuthority }, facts) => {
  const problem = clientAuthority?.problemWith(facts.certificates, facts.now);
  return problem === undefined
    ? undefined
    : forbidden(`This agent demands a client certificate that it accepts: ${problem}.`);
};

/** Whether the code is right is found out later, so that a request that fails for another reason uses none up. */
const withCode: Check = ({ needsCode }, { operation, code = '' }) =>
  operation !== null && needsCode.has(operation) && !isCodeForm(code) ? codeRequired() : undefined;

export const checks: readonly Check[] = [
  overHttps,
  fromAllowedAddress,
  withClientCertificate,
  withCode,
];

export function findViolation(policy: Policy, facts: RequestAttributes): ServiceError | undefined {
  for (const check of checks) {
    const refusal = check(policy, facts);
    if (refusal) return refusal;
  }
  return undefined;
}

/** One text for each reason: which part of a guess was right is nothing that a guesser should learn. */
export function codeRequired(): ServiceError {
  return forbidden('This operation needs a valid, unused one-time code in X-MFA-Code.');
}
