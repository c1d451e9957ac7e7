/** The checks of an agent's policy, in order: the first violation decides the response. */
import { isWellFormedCode } from '../lib/crypto/totp.js';
import { forbidden, type ServiceError } from '../contract/errors.js';
import type { Policy, RequestAttributes } from './policy.js';

/** Must read only the attributes that the policy needs, since computing them is expensive. */
type Check = (policy: Policy, attributes: RequestAttributes) => ServiceError | undefined;

const overHttps: Check = ({ enforceHttps }, attributes) =>
  enforceHttps && !attributes.isHttps
    ? forbidden('This agent accepts requests over https only.')
    : undefined;

const fromAllowedAddress: Check = ({ networks }, attributes) => {
  if (!networks) return undefined;
  const { address } = attributes;
  if (address === undefined) return forbidden(unknownAddress);
  return networks.includes(address)
    ? undefined
    : forbidden('This agent does not accept requests from this address.');
};

const unknownAddress =
  'This agent accepts requests from certain addresses only, and the address of this one is unknown: the proxy in TRUST_PROXY sent no ' +
  'X-Forwarded-For. The operator lets the proxy set it, or takes a client that is no proxy out of TRUST_PROXY.';

const withClientCertificate: Check = ({ clientAuthority }, attributes) => {
  const problem = clientAuthority?.problemWith(attributes.certificates, attributes.now);
  return problem === undefined
    ? undefined
    : forbidden(`This agent requires a client certificate that it accepts: ${problem}.`);
};

/** Checks the format only. The code is verified later, so that a request that fails for another reason does not consume it. */
const withCode: Check = ({ needsCode }, attributes) => {
  const { operation } = attributes;
  return operation !== null && needsCode.has(operation) && !isWellFormedCode(attributes.code ?? '')
    ? codeRequired()
    : undefined;
};

const checks: readonly Check[] = [overHttps, fromAllowedAddress, withClientCertificate, withCode];

export function findViolation(
  policy: Policy,
  attributes: RequestAttributes,
): ServiceError | undefined {
  for (const check of checks) {
    const violation = check(policy, attributes);
    if (violation) return violation;
  }
  return undefined;
}

/** One text for every reason, so that an attacker learns nothing from a guess. */
export function codeRequired(): ServiceError {
  return forbidden('This operation needs a valid, unused one-time code in X-MFA-Code.');
}
