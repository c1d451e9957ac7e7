/** Prepares `auth` of a manifest: the key that tokens are verified with, and what each role and scope gives. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Permission } from '../../../generated/api.js';
import type { Auth, JwtAuth, OAuth2Auth, Roles } from '../../../generated/manifest.js';
import { readSecret } from '../../lib/secret-reference.js';
import { roles as usualRoles } from '../roles.js';
import type { RoleGrants, TokenSettings } from './policy.js';
import { type ProblemCollector, SettingProblem } from './setting-problem.js';

/** RFC 7518 demands a key as long as the hash; a shorter one can be guessed from a single token. */
const shortestSecretBytes = 32;

const scopes = { 'read:agents': 'read', 'write:agents': 'write' } as const;

export async function compileTokens(
  auth: Auth,
  definitions: Roles,
  { attempt }: ProblemCollector,
): Promise<TokenSettings | undefined> {
  const roles = await attempt('auth.roles', () => grantsOf(auth.roles ?? [], definitions));
  switch (auth.type) {
    case 'jwt': {
      const key = await attempt('auth.secret', () => readKey(auth));
      return key && roles && { type: 'jwt', key, roles };
    }
    case 'oauth2':
      return roles && oauth2Settings(auth, roles);
  }
}

async function readKey({ secret: reference }: JwtAuth): Promise<KeyObject> {
  const secret = Buffer.from(await readSecret(reference));
  if (secret.length < shortestSecretBytes) {
    throw new SettingProblem(
      `is shorter than ${shortestSecretBytes} bytes. Make one with: openssl rand -base64 48`,
    );
  }
  // Whoever signs with a key that everybody may know has not understood HS256, or hopes that we have not.
  if (/-----BEGIN (PUBLIC KEY|RSA PUBLIC KEY|CERTIFICATE)-----/.test(secret.toString())) {
    throw new SettingProblem('is a public key; HS256 needs a secret that nobody else knows');
  }
  return createSecretKey(secret);
}

function oauth2Settings(auth: OAuth2Auth, roles: RoleGrants): TokenSettings {
  const accepted = auth.scopes ?? (Object.keys(scopes) as (keyof typeof scopes)[]);
  return {
    type: 'oauth2',
    provider: auth.provider,
    clientId: auth.clientId,
    scopes: new Map(accepted.map((scope) => [scope, scopes[scope]])),
    roles,
  };
}

function grantsOf(names: readonly string[], definitions: Roles): RoleGrants {
  const known = new Map<string, readonly Permission[]>([
    ...Object.entries(usualRoles),
    ...Object.entries(definitions),
  ]);
  return new Map(
    names.map((name) => {
      const permissions = known.get(name);
      if (permissions) return [name, permissions] as const;
      throw new SettingProblem(
        `names the role '${name}', which is not defined; there are: ${[...known.keys()].join(', ')}`,
      );
    }),
  );
}
