/** API keys: invalid ones, and valid ones with each permission and scope. */
import type { Permission } from '../../../generated/api.js';
import { type Credential, invalid, type Issued, type Target } from './credential.js';
import { everyPermission } from './roles.js';
import type { AgentKind, Resources, MatrixFixture } from './fixture.js';

const usual: Target[] = ['its own agent', 'another account'];
const everywhere: Target[] = [
  ...usual,
  'another agent of the account',
  'the whole account',
  'an agent that rejects every request',
  'a missing resource',
];

export const apiKeys: Credential[] = [
  invalid('no credential', 'acme/jwt', () => undefined),
  invalid('a malformed key', 'acme/jwt', () => 'ahs_nonsense'),
  invalid('a key with a wrong checksum', 'acme/jwt', async (fixture) => {
    const { key } = await acme(fixture).newKey();
    return `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
  }),
  invalid('a key that was never issued', 'acme/jwt', async (fixture) => {
    const { id, key } = await acme(fixture).newKey();
    await fixture.service.database.prisma.apiKey.delete({ where: { id } });
    return key;
  }),
  invalid('a revoked key', 'acme/jwt', async (fixture) => {
    const { id, key } = await acme(fixture).newKey();
    const revocation = { where: { id }, data: { revokedAt: new Date() } };
    await fixture.service.database.prisma.apiKey.update(revocation);
    return key;
  }),
  invalid('an expired key', 'acme/jwt', async (fixture) => {
    return (await acme(fixture).newKey({ expiresAt: new Date(Date.now() - 1) })).key;
  }),
  ...everyPermission.map((permission) =>
    valid(`a key with ${permission} alone`, 'acme/jwt', { permissions: [permission] }),
  ),
  ...everyPermission.map((missing) =>
    valid(`a key with everything but ${missing}`, 'acme/jwt', {
      permissions: everyPermission.filter((permission) => permission !== missing),
      triedWith: missing,
    }),
  ),
  valid('a key with every permission', 'acme/jwt', {
    targets: [...usual, 'an agent that rejects every request'],
  }),
  valid('a key of one agent', 'acme/jwt', {
    isScoped: true,
    targets: everywhere,
  }),
  valid('a key of one agent that may only read', 'acme/oauth2', {
    isScoped: true,
    permissions: ['read'],
    targets: everywhere,
  }),
  valid('a key of another account', 'rival/jwt', {
    targets: ['another account', 'an agent that rejects every request', 'a missing resource'],
  }),
  valid('a key of an account whose agents take no request', 'closed/jwt', {}),
];

interface Options {
  permissions?: Permission[];
  isScoped?: boolean;
  targets?: Target[];
  triedWith?: Permission;
}

function valid(
  who: string,
  ownAgent: AgentKind,
  { permissions = everyPermission, isScoped = false, targets = usual, ...credential }: Options,
): Credential {
  const issue = async (fixture: MatrixFixture, { account, agent }: Resources): Promise<Issued> => {
    const scope = isScoped ? agent : null;
    const issued = await fixture.accounts[account]?.newKey({ permissions, agentId: scope });
    return {
      bearer: issued?.key,
      grant: { account, agent: scope, permissions, user: null },
    };
  };
  return { who, ownAgent, targets, issue, ...credential };
}

function acme({ accounts }: MatrixFixture) {
  const tenant = accounts['acme'];
  if (!tenant) throw new Error('There is no such account.');
  return tenant;
}
