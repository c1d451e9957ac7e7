/** Compiles the `auth` settings of a manifest: the key that verifies tokens, and the permissions of each role and scope. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Permission } from '../../generated/api.js';
import type { Auth, OAuth2Auth, Roles } from '../../generated/manifest.js';
import { parseDuration } from '../lib/time/duration.js';
import { roles as builtInRoles } from '../keys/roles.js';
import { defaultMaxLifetimeSeconds } from './tokens/claims.js';
import type { RoleGrants, ScopeGrant, TokenSettings } from './policy.js';
import { type ProblemCollector, SettingProblem } from './setting-problem.js';
import { type Source, textOf } from './sources.js';

/** RFC 7518 requires a key as long as the hash; a shorter one can be brute-forced from a single token. */
const minSecretBytes = 32;

type Scope = NonNullable<OAuth2Auth['scopes']>[number];

const scopeGrants: Record<Scope, ScopeGrant> = {
  'read:agents': { permission: 'read' },
  'write:agents': { permission: 'write' },
  'invoke:agents': { operation: 'invokeAgent' },
};

export async function compileTokens(
  auth: Auth,
  definitions: Roles,
  secret: Source | undefined,
  { attempt }: ProblemCollector,
): Promise<TokenSettings | undefined> {
  const roles = await attempt('auth.roles', () => grantsOf(auth.roles ?? [], definitions));
  switch (auth.type) {
    case 'jwt': {
      const key = secret && (await attempt('auth.secret', () => keyOf(textOf(secret))));
      return key && roles && { type: 'jwt', key, roles };
    }
    case 'oauth2':
      return roles && oauth2Settings(auth, roles);
  }
}

function keyOf(text: string): KeyObject {
  const secret = Buffer.from(text);
  if (secret.length < minSecretBytes) {
    throw new SettingProblem(
      `is shorter than ${minSecretBytes} bytes. Make one with: openssl rand -base64 48`,
    );
  }
  // HS256 is symmetric, so a public key as its secret would allow everyone to sign tokens.
  if (/-----BEGIN (PUBLIC KEY|RSA PUBLIC KEY|CERTIFICATE)-----/.test(secret.toString())) {
    throw new SettingProblem('is a public key, but HS256 needs a secret');
  }
  return createSecretKey(secret);
}

function oauth2Settings(auth: OAuth2Auth, roles: RoleGrants): TokenSettings {
  const accepted = auth.scopes ?? (Object.keys(scopeGrants) as Scope[]);
  return {
    type: 'oauth2',
    provider: auth.provider,
    clientId: auth.clientId,
    maxLifetimeSeconds: maxLifetimeSeconds(auth),
    scopes: new Map(accepted.map((scope) => [scope, scopeGrants[scope]])),
    roles,
  };
}

function maxLifetimeSeconds({ maxTokenLifetime }: OAuth2Auth): number {
  const lifetimeMs = maxTokenLifetime === undefined ? undefined : parseDuration(maxTokenLifetime);
  return lifetimeMs === undefined ? defaultMaxLifetimeSeconds : lifetimeMs / 1000;
}

function grantsOf(names: readonly string[], definitions: Roles): RoleGrants {
  const defined = new Map<string, readonly Permission[]>([
    ...Object.entries(builtInRoles),
    ...Object.entries(definitions),
  ]);
  return new Map(
    names.map((name) => {
      const permissions = defined.get(name);
      if (permissions) return [name, permissions] as const;
      throw new SettingProblem(
        `names the role '${name}', which is not defined; there are: ${[...defined.keys()].join(', ')}`,
      );
    }),
  );
}
