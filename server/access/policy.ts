/** The security settings of an agent, compiled and as its manifest states them, and the attributes of a request that they are checked against. */
import type { KeyObject, X509Certificate } from 'node:crypto';
import type { Permission } from '../../generated/api.js';
import type { AgentManifest, Security } from '../../generated/manifest.js';
import type { OperationId, Route } from '../../generated/operations.js';
import type { Networks } from '../lib/net/networks.js';
import type { Limit } from '../lib/async/token-bucket.js';
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
