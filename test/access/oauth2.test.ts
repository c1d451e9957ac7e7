/** auth.type oauth2: access tokens of a real provider on loopback, and many invalid ones. */
import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { OperationId } from '../../generated/operations.js';
import { useFixture } from '../helpers/service/fixture.js';
import {
  type Claims,
  clientId,
  newKey,
  signAccessToken,
  startProvider,
} from '../helpers/servers/oauth-provider.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { encode, now } from '../helpers/crypto/tokens.js';

const service = useService({ ALLOW_PRIVATE_TARGETS: 'true' });
const tenant = useTenant(service);
const provider = useFixture(
  () => startProvider({ path: '/tenant' }),
  ({ close }) => close(),
);
let agent: string;

beforeAll(async () => {
  agent = await agentWith({});
});

async function agentWith(auth: object): Promise<string> {
  const usual = { type: 'oauth2', provider: provider.url, clientId };
  return (await tenant.newAgent({ policy: { auth: { ...usual, ...auth } } })).id;
}

async function statusOf(
  token: string,
  operationId: OperationId = 'invokeAgent',
  agentId = agent,
): Promise<number> {
  const body = operationId === 'invokeAgent' ? { message: 'hello' } : undefined;
  const call = { path: { agent_id: agentId }, ...(body ? { body } : {}) };
  return (await service.api(token).call(operationId, call)).status;
}

describe('accepted is an access token', () => {
  test.each<[string, Claims, object]>([
    ['of the provider', {}, {}],
    ['for several audiences', { aud: ['other', clientId] }, {}],
    ['without a type', {}, { typ: undefined }],
    ['whose scopes are a list', { scope: undefined, scp: ['write:agents'] }, {}],
    ['whose scopes are a string in scp', { scope: undefined, scp: 'read:agents write:agents' }, {}],
    ['without a key id', {}, { kid: undefined }],
  ])('%s', async (_what, claims, header) => {
    expect(await statusOf(await provider.token(claims, header))).toBe(200);
  });

  test('of a provider whose URL has a trailing slash in the manifest', async () => {
    const other = await agentWith({ provider: `${provider.url}/` });
    expect(await statusOf(await provider.token(), 'invokeAgent', other)).toBe(200);
  });

  test('of a provider with RFC 8414 discovery', async () => {
    const another = await startProvider({ path: '/tenant', style: 'rfc8414' });
    const other = await agentWith({ provider: another.url });
    expect(await statusOf(await another.token(), 'invokeAgent', other)).toBe(200);
    await another.close();
  });
});

describe('an access token may', () => {
  test.each<[string, Claims, object, Partial<Record<OperationId, number>>]>([
    ['read with read:agents', { scope: 'read:agents' }, {}, { getAgent: 200, invokeAgent: 403 }],
    ['write with write:agents', { scope: 'write:agents' }, {}, { getAgent: 403, invokeAgent: 200 }],
    [
      'invoke with invoke:agents, and nothing else',
      { scope: 'openid invoke:agents' },
      {},
      {
        invokeAgent: 200,
        getAgent: 403,
        updateAgent: 403,
        createDeployment: 403,
        listDeployments: 403,
        getLogs: 403,
        clearMemory: 403,
        deleteAgent: 403,
      },
    ],
    [
      'not invoke with invoke:agents if the manifest does not accept it',
      { scope: 'invoke:agents' },
      { scopes: ['read:agents'] },
      { invokeAgent: 403 },
    ],
    [
      'do both with both',
      { scope: 'openid write:agents read:agents' },
      {},
      { getAgent: 200, invokeAgent: 200, deleteAgent: 403 },
    ],
    ['do nothing with other scopes', { scope: 'openid' }, {}, { getAgent: 403, invokeAgent: 403 }],
    ['do nothing with no scope', { scope: '' }, {}, { getAgent: 403, invokeAgent: 403 }],
    [
      'do nothing with similar scopes',
      { scope: 'read:agents2 READ:AGENTS write:agents,read:agents invoke invoke:agents:all' },
      {},
      { getAgent: 403, invokeAgent: 403 },
    ],
    [
      'use only the scopes that the manifest accepts',
      { scope: 'read:agents write:agents' },
      { scopes: ['read:agents'] },
      { getAgent: 200, invokeAgent: 403 },
    ],
    [
      'use the permissions of its role in addition',
      { scope: 'openid', role: 'developer' },
      { roles: ['developer'] },
      { getAgent: 200, invokeAgent: 200, deleteAgent: 403 },
    ],
    [
      'gain nothing from a role that the manifest does not allow',
      { scope: 'read:agents', role: 'admin' },
      { roles: ['viewer'] },
      { getAgent: 200, invokeAgent: 403, deleteAgent: 403 },
    ],
  ])('%s', async (_what, claims, auth, expected) => {
    const target = await agentWith(auth);
    const token = await provider.token(claims);
    for (const [operationId, status] of Object.entries(expected)) {
      expect([operationId, await statusOf(token, operationId as OperationId, target)]).toEqual([
        operationId,
        status,
      ]);
    }
  });
});

describe('rejected with a 401 is', () => {
  const strangers = generateKeyPairSync('rsa', { modulusLength: 2048 });

  /** Signed as HS256, with the provider's public key as the secret. */
  const confused = (header: object, format: 'pem' | 'jwk') => {
    const payload = {
      iss: provider.url,
      aud: clientId,
      sub: 'u',
      scope: 'write:agents',
      iat: now(),
      exp: now() + 60,
    };
    const body = `${encode({ kid: provider.key.kid, ...header })}.${encode(payload)}`;
    const pem = createPublicKey({ key: provider.key.jwk, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    });
    const secret = format === 'pem' ? pem : JSON.stringify(provider.key.jwk);
    return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
  };

  test.each<[string, () => Promise<string> | string]>([
    ['a token of another issuer', () => provider.token({ iss: 'https://attacker.example' })],
    ['a token without an issuer', () => provider.token({ iss: undefined })],
    ['a token for another audience', () => provider.token({ aud: 'another-client' })],
    ['a token without an audience', () => provider.token({ aud: undefined })],
    [
      'a token whose audience only starts with the client id',
      () => provider.token({ aud: `${clientId}-2` }),
    ],
    ['a token that has expired', () => provider.token({ iat: now() - 600, exp: now() - 1 })],
    ['a token without an expiry', () => provider.token({ exp: undefined })],
    ['a token that is valid for over an hour', () => provider.token({ exp: now() + 3_601 })],
    ['a token issued in the future', () => provider.token({ iat: now() + 60 })],
    ['a token that is not valid yet', () => provider.token({ nbf: now() + 60 })],
    ['a token without a subject', () => provider.token({ sub: undefined })],
    ['a token whose subject has a NUL', () => provider.token({ sub: 'user\0' })],
    ['a token whose subject has a lone surrogate', () => provider.token({ sub: 'user\ud800' })],
    ['a token whose role has a NUL', () => provider.token({ role: 'viewer\0' })],
    ['a token whose role has a lone surrogate', () => provider.token({ role: '\udc00viewer' })],
    [
      'an identity token, which has no scopes',
      () => provider.token({ scope: undefined, nonce: 'n' }),
    ],
    [
      'a token of another provider with the same key id',
      () => provider.token({}, {}, { ...provider.key, privateKey: strangers.privateKey }),
    ],
    ['a token of an unknown key', async () => provider.token({}, {}, await newKey())],
    [
      'a token of an unknown key of another type',
      async () => provider.token({}, {}, await newKey('ES256', provider.key.kid)),
    ],
    [
      'a token that contains its key',
      async () => {
        const key = await newKey();
        return provider.token({}, { jwk: key.jwk }, key);
      },
    ],
    [
      'a token that names the URL of its keys',
      async () => provider.token({}, { jku: 'http://127.0.0.1:1/keys' }, await newKey()),
    ],
    ['a token signed as HS256 with the public key', () => confused({ alg: 'HS256' }, 'pem')],
    ['a token signed as HS256 with the published key', () => confused({ alg: 'HS256' }, 'jwk')],
    ['a token that says RS256 and is signed as HS256', () => confused({ alg: 'RS256' }, 'pem')],
    [
      'an unsigned token',
      async () => {
        const [, payload = ''] = (await provider.token()).split('.');
        return `${encode({ alg: 'none' })}.${payload}.x`;
      },
    ],
    [
      'a token that was changed',
      async () => {
        const [header = '', , signature = ''] = (await provider.token({ scope: 'openid' })).split(
          '.',
        );
        const payload = { iss: provider.url, aud: clientId, sub: 'u', iat: now(), exp: now() + 60 };
        return `${header}.${encode({ ...payload, scope: 'write:agents' })}.${signature}`;
      },
    ],
    ['an opaque token', () => 'opaque-token-1234567890'],
    [
      'a token of another agent’s provider',
      async () => {
        const another = await startProvider();
        const token = await signAccessToken(provider.url, another.key);
        await another.close();
        return token;
      },
    ],
  ])('%s', async (_what, make) => {
    expect(await statusOf(await make())).toBe(401);
  });

  test('a token of a provider with a 1024-bit RSA key', async () => {
    const weak = await startProvider();
    const good = weak.key;
    // The library refuses to sign with such a key, so the token is signed with another and names this one.
    const { jwk } = await newKey('RS256', good.kid, 1024);
    weak.published.splice(0, weak.published.length, jwk);
    const other = await agentWith({ provider: weak.url });
    const status = await statusOf(await weak.token(), 'invokeAgent', other);
    await weak.close();
    expect(status).toBe(401);
  });

  test('a token without a key id of a provider that has a strong key and one of 1024 bits', async () => {
    const mixed = await startProvider();
    const { jwk } = await newKey('RS256', 'weak', 1024);
    mixed.published.unshift(jwk);
    const other = await agentWith({ provider: mixed.url });
    const nameless = { kid: undefined };
    const forged = await signAccessToken(mixed.url, await newKey(), {}, nameless);
    const statuses = [
      await statusOf(forged, 'invokeAgent', other),
      // The weak key does not keep the strong one from verifying.
      await statusOf(await mixed.token({}, nameless), 'invokeAgent', other),
    ];
    await mixed.close();
    expect(statuses).toEqual([401, 200]);
  });
});

test('a manifest can allow tokens with a longer lifetime', async () => {
  const patient = await agentWith({ maxTokenLifetime: '12h' });
  const lasting = (seconds: number) => provider.token({ iat: now(), exp: now() + seconds });
  expect(await statusOf(await lasting(12 * 3_600), 'invokeAgent', patient)).toBe(200);
  expect(await statusOf(await lasting(12 * 3_600 + 10), 'invokeAgent', patient)).toBe(401);
});
