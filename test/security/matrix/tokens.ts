/** Tokens of agents' users: invalid ones, and valid ones with each role, scope and user. */
import { createHmac } from 'node:crypto';
import type { Permission } from '../../../generated/api.js';
import { type Claims, newKey } from '../../helpers/servers/oauth-provider.js';
import { encode, now, signToken, usualClaims } from '../../helpers/crypto/tokens.js';
import { type Credential, invalid, type Target } from './credential.js';
import { roles, scopes } from './roles.js';
import { ann, customRole, type AgentKind, secretOf, type MatrixFixture } from './fixture.js';

const bob = 'bob@example.com';
const own: Target[] = ['its own agent'];
const everywhere: Target[] = [...own, 'another agent of the account', 'another account'];
/** Without the role that the other user has. */
const { admin, ...otherRoles }: Record<string, readonly Permission[]> = { ...roles, ...customRole };

type MakeToken = (fixture: MatrixFixture) => Promise<string> | string;

export const tokens: Credential[] = [
  jwt('a JWT without a role', {}),
  ...Object.entries(otherRoles).map(([role, permissions]) =>
    jwt(`a JWT with the role ${role}`, { role, permissions }),
  ),
  jwt('a JWT with an unknown role', { role: 'root' }),
  jwt('a JWT with a role that every object has', { role: '__proto__' }),
  jwt('another user of the same agent, with a JWT', {
    role: 'admin',
    permissions: admin,
    targets: everywhere,
  }),
  jwt('the same user, with a JWT', { role: 'admin', permissions: admin, user: ann }),
  ...Object.entries(scopes).map(([scope, permissions]) =>
    oauth(`an access token with the scope ${scope}`, {
      claims: { scope },
      permissions,
      mayInvoke: scope === 'invoke:agents',
    }),
  ),
  oauth('an access token with another scope', { claims: { scope: 'openid' } }),
  oauth('another user of the same agent, with an access token', {
    claims: { scope: Object.keys(scopes).join(' '), role: 'admin' },
    permissions: admin,
    targets: everywhere,
  }),
  oauth('the same user, with an access token', {
    claims: { scope: Object.keys(scopes).join(' '), role: 'admin', sub: ann },
    permissions: admin,
    user: ann,
  }),

  invalid('an expired JWT', 'acme/jwt', () =>
    sign('acme/jwt', { iat: now() - 600, exp: now() - 10 }),
  ),
  invalid('a JWT that lasts for over an hour', 'acme/jwt', () =>
    sign('acme/jwt', { exp: now() + 3_700 }),
  ),
  invalid('a JWT of no user', 'acme/jwt', () => sign('acme/jwt', { user_id: undefined })),
  invalid('a JWT with a wrong signature', 'acme/jwt', () => `${sign('acme/jwt').slice(0, -4)}AAAA`),
  invalid('an unsigned JWT', 'acme/jwt', () => {
    const [, payload = ''] = sign('acme/jwt').split('.');
    return `${encode({ alg: 'none' })}.${payload}.x`;
  }),
  invalid('a JWT of another account’s agent', 'acme/jwt', () => sign('rival/jwt')),
  invalid('a JWT, where access tokens are expected', 'acme/oauth2', () => sign('acme/jwt')),
  invalid('a JWT, where there are none', 'acme/plain', () => sign('acme/jwt')),
  invalid('an access token, where JWTs are expected', 'acme/jwt', ({ oauth: provider }) =>
    provider.token({ role: 'admin' }),
  ),
  invalid('an expired access token', 'acme/oauth2', ({ oauth: provider }) =>
    provider.token({ iat: now() - 600, exp: now() - 10 }),
  ),
  invalid('an access token for another audience', 'acme/oauth2', ({ oauth: provider }) =>
    provider.token({ aud: 'another-client' }),
  ),
  invalid('an access token of another issuer', 'acme/oauth2', ({ oauth: provider }) =>
    provider.token({ iss: 'https://attacker.example' }),
  ),
  invalid('an access token of an unknown key', 'acme/oauth2', async ({ oauth: provider }) =>
    provider.token({}, {}, { ...(await newKey()), kid: provider.key.kid }),
  ),
  invalid('an access token signed with the public key', 'acme/oauth2', async (fixture) => {
    const { key, token } = fixture.oauth;
    const [, payload = ''] = (await token()).split('.');
    const body = `${encode({ alg: 'HS256', kid: key.kid })}.${payload}`;
    const secret = JSON.stringify(key.jwk);
    return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
  }),
  invalid('an identity token', 'acme/oauth2', ({ oauth: provider }) =>
    provider.token({ scope: undefined }),
  ),
  invalid('an opaque token', 'acme/oauth2', () => 'opaque-token-1234567890'),
];

interface Options {
  permissions?: readonly Permission[] | undefined;
  user?: string;
  targets?: Target[];
  /** Whether it may invoke without the permission. */
  mayInvoke?: boolean;
}

function jwt(who: string, { role, user = bob, ...options }: Options & { role?: string }) {
  const make = () => sign('acme/jwt', { user_id: user, role });
  return valid(who, 'acme/jwt', make, { ...options, user });
}

function oauth(who: string, { claims, ...options }: Options & { claims: Claims }) {
  const make = ({ oauth: provider }: MatrixFixture) => provider.token({ sub: bob, ...claims });
  return valid(who, 'acme/oauth2', make, options);
}

function valid(
  who: string,
  ownAgent: AgentKind,
  make: MakeToken,
  { permissions = [], user = bob, targets = own, mayInvoke = ownAgent === 'acme/jwt' }: Options,
): Credential {
  return {
    who,
    ownAgent,
    targets,
    issue: async (fixture, { account, agent }) => ({
      bearer: await make(fixture),
      grant: { account, agent, permissions, user, mayInvoke },
    }),
  };
}

/** With the most powerful role, so that only the defect can be the reason for the rejection. */
function sign(kind: AgentKind, claims: object = {}): string {
  return signToken(secretOf(kind), { ...usualClaims(), role: 'admin', ...claims });
}
