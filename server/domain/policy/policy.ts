/** An agent's security settings, ready to be held against a request; and what of a request they are held against. */
import type { KeyObject, X509Certificate } from 'node:crypto';
import type { Permission } from '../../../generated/api.js';
import type { Route } from '../../../generated/operations.js';
import type { Networks } from '../../lib/networks.js';
import type { Limit } from '../../lib/token-bucket.js';
import type { ClientAuthority } from './certificate-chain.js';

/** The operations for which a one-time code can be demanded, by their names in a manifest. */
export type MfaOperation = NonNullable<Route['mfa']>;

export interface Policy {
  tokens: TokenSettings | undefined;
  enforceHttps: boolean;
  /** The value of the header Strict-Transport-Security. */
  hsts: string | undefined;
  /** Undefined: any address. */
  networks: Networks | undefined;
  /** Undefined: no certificate is needed. */
  clientAuthority: ClientAuthority | undefined;
  rateLimit: Limit | undefined;
  needsCode: ReadonlySet<MfaOperation>;
}

/** The roles that a token may name, with what they give. */
export type RoleGrants = ReadonlyMap<string, readonly Permission[]>;

export type TokenSettings =
  | { type: 'jwt'; key: KeyObject; roles: RoleGrants }
  | {
      type: 'oauth2';
      provider: string;
      clientId: string;
      scopes: ReadonlyMap<string, Permission>;
      roles: RoleGrants;
    };

export interface RequestAttributes {
  isHttps: boolean;
  address: string | undefined;
  /** What the client proved to have, and what it sent along to lead to an authority. */
  certificates: readonly X509Certificate[];
  /** Null: no code can be demanded for it. */
  operation: MfaOperation | null;
  code: string | undefined;
  now: Date;
}
