/** Authenticates tokens, which identify a user of one agent in place of an API key. */
import { createHash, createSecretKey, randomBytes } from 'node:crypto';
import type { Permission } from '../../../generated/api.js';
import type { OperationId } from '../../../generated/operations.js';
import type { Caller } from '../../accounts/caller.js';
import { ServiceError } from '../../contract/errors.js';
import type { PolicyCache } from '../policies.js';
import type { ScopeGrant, TokenSettings } from '../policy.js';
import { hasJwtFormat, type TokenSubject } from './claims.js';
import { verifyJwt } from './jwt.js';
import { verifyAccessToken } from './oauth2.js';
import { createProvider, type FetchJson, type Provider, ProviderUnavailable } from './provider.js';
import { currentDate } from '../../lib/time/clock.js';

interface Tokens {
  /** Resolves to the caller that the token identifies for this agent, or to undefined if the token is invalid. */
  identify: (token: string, agent: string) => Promise<Caller | undefined>;
}

/** The operations that a JWT allows without a role. */
const jwtOperations: ReadonlySet<OperationId> = new Set<OperationId>(['invokeAgent']);

/** The settings for agents that accept no tokens: a random key, which no token is signed with. */
const rejectAll: TokenSettings = {
  type: 'jwt',
  key: createSecretKey(randomBytes(32)),
  roles: new Map(),
};

export function createTokens(policies: PolicyCache, fetchJson: FetchJson): Tokens {
  const providers = new Map<string, Provider>();
  const providerAt = (address: string) => {
    const provider = providers.get(address) ?? createProvider(address, { fetchJson });
    providers.set(address, provider);
    return provider;
  };
  const verify = (token: string, settings: TokenSettings, now: Date) => {
    switch (settings.type) {
      case 'jwt':
        return verifyJwt(token, settings.key, now);
      case 'oauth2':
        return verifyAccessToken(token, settings, providerAt(settings.provider), now);
    }
  };

  return {
    identify: async (token, agent) => {
      if (!hasJwtFormat(token)) return undefined;
      const agentPolicy = await policies.findAnywhere(agent);
      // Verified in any case, so that neither the response nor its timing reveals whether an agent exists or is misconfigured.
      const settings = agentPolicy?.policy?.tokens ?? rejectAll;
      const subject = await verify(token, settings, currentDate()).catch(throwUnavailable);
      if (!subject || !agentPolicy) return undefined;
      const { agentId, accountId, limits } = agentPolicy;
      return {
        id: `token:${agentId}:${digest(subject.subject)}`,
        keyId: null,
        userId: subject.subject,
        accountId,
        agentId,
        limits,
        permissions: permissionsOf(subject, settings),
        // Not needed, since tokens cannot create keys: they are valid only on paths of an agent.
        expiresAt: null,
        operations: operationsOf(subject, settings),
      };
    },
  };
}

/** A subject may identify a person, so only its digest appears in logs. */
function digest(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url');
}

function permissionsOf(
  { role, scopes }: TokenSubject,
  settings: TokenSettings,
): ReadonlySet<Permission> {
  const byRole = role === undefined ? [] : (settings.roles.get(role) ?? []);
  const byScope = grantsOf(scopes, settings).flatMap(({ permission }) => permission ?? []);
  return new Set([...byRole, ...byScope]);
}

function operationsOf({ scopes }: TokenSubject, settings: TokenSettings): ReadonlySet<OperationId> {
  if (settings.type === 'jwt') return jwtOperations;
  return new Set(grantsOf(scopes, settings).flatMap(({ operation }) => operation ?? []));
}

function grantsOf(scopes: readonly string[], settings: TokenSettings): ScopeGrant[] {
  return settings.type === 'jwt' ? [] : scopes.flatMap((scope) => settings.scopes.get(scope) ?? []);
}

function throwUnavailable(error: unknown): never {
  if (!(error instanceof ProviderUnavailable)) throw error;
  const { retryAfter } = error;
  throw new ServiceError(
    'unavailable',
    `The token cannot be verified now, since its provider does not answer. Retry in ${retryAfter} seconds.`,
    { retryAfter, cause: error },
  );
}
