/** The security settings of an agent, as its manifest states them and compiled, and the checks of requests against them. */
import type { KeyObject, X509Certificate } from 'node:crypto';
import type { Permission } from '../../generated/api.js';
import type { AgentManifest, Security } from '../../generated/manifest.js';
import type { OperationId, Route } from '../../generated/operations.js';
import { forbidden, type ServiceError } from '../contract/errors.js';
import type { Limit } from '../lib/async/token-bucket.js';
import { isWellFormedCode } from '../lib/crypto/totp.js';
import type { Networks } from '../lib/net/networks.js';
import type { ClientAuthority } from './certificate-chain.js';

export type PolicySettings = Pick<AgentManifest, 'auth' | 'mfa' | 'roles'> & {
  security?: Partial<Security>;
};

/** The operations for which a manifest can require a one-time code, by their names in the manifest. */
export type MfaOperation = NonNullable<Route['mfa']>;

export interface Policy {
  tokens: TokenSettings | undefined;
  enforceHttps: boolean;
  /** The value of the header Strict-Transport-Security. */
  hsts: string | undefined;
  /** Undefined if every address is allowed. */
  networks: Networks | undefined;
  /** Undefined if no client certificate is required. */
  clientAuthority: ClientAuthority | undefined;
  rateLimit: Limit | undefined;
  needsCode: ReadonlySet<MfaOperation>;
}

/** The roles that a token may name, with their permissions. */
export type RoleGrants = ReadonlyMap<string, readonly Permission[]>;

/** A scope grants a permission, or an operation without its permission. */
export interface ScopeGrant {
  permission?: Permission;
  operation?: OperationId;
}

export type TokenSettings =
  | { type: 'jwt'; key: KeyObject; roles: RoleGrants }
  | {
      type: 'oauth2';
      provider: string;
      clientId: string;
      maxLifetimeSeconds: number;
      scopes: ReadonlyMap<string, ScopeGrant>;
      roles: RoleGrants;
    };

export interface RequestAttributes {
  isHttps: boolean;
  /** Undefined if a trusted proxy does not tell it. */
  address: string | undefined;
  /** The client's chain, leaf first. The client has proven that it holds the key of the leaf. */
  certificates: readonly X509Certificate[];
  /** Null if no one-time code can be required for the operation. */
  operation: MfaOperation | null;
  code: string | undefined;
  now: Date;
}

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

/** The first violation decides the response. */
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
