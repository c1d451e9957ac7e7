/** auth.type jwt: tokens that are accepted instead of an API key, and the many that are not. */
import { createHmac, createSecretKey, createSign, generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { verifyJwt } from '../../server/access/tokens/jwt.js';
import { createFiles } from '../helpers/programs/files.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { openStream } from '../invocations/event-reader.js';
import { encode, now, signToken, usualClaims } from '../helpers/crypto/tokens.js';

const secret = 'a secret of the support bot, of at least 32 bytes';
const otherSecret = 'another secret, of at least 32 bytes';

const service = useService();
const tenant = useTenant(service);
let agent: { id: string; name: string };
let otherAgent: { id: string; name: string };

beforeAll(async () => {
  const files = await createFiles();
  const reference = (name: string) => `\${file:${files.path(name)}}`;
  await files.write('secret', `${secret}\n`);
  await files.write('other', otherSecret);
  agent = await tenant.newAgent({
    name: 'support-bot',
    policy: {
      auth: { type: 'jwt', secret: reference('secret'), roles: ['viewer', 'developer', 'auditor'] },
      roles: { auditor: ['read', 'delete'] },
    },
  });
  otherAgent = await tenant.newAgent({
    name: 'other-bot',
    policy: { auth: { type: 'jwt', secret: reference('other'), roles: ['admin'] } },
  });
});

function sign(payload: unknown, header?: object, key = secret): string {
  return signToken(key, payload, header);
}

async function statusOf(token: string, agentId = agent.id): Promise<number> {
  const call = { path: { agent_id: agentId }, body: { message: 'hello' } };
  return (await service.api(token).call('invokeAgent', call)).status;
}

describe('accepted is a token', () => {
  test.each<[string, () => string]>([
    ['with the three claims', () => sign(usualClaims())],
    ['without a type', () => sign(usualClaims(), { alg: 'HS256' })],
    ['with a key id, which is ignored', () => sign(usualClaims(), { alg: 'HS256', kid: '1' })],
    ['of a clock that is slightly ahead', () => sign({ ...usualClaims(), iat: now() + 3 })],
    ['with a role that is not enabled here', () => sign({ ...usualClaims(), role: 'admin' })],
    ['with a role of unknown form', () => sign({ ...usualClaims(), role: { admin: true } })],
    ['with additional claims', () => sign({ ...usualClaims(), sub: 'x', plan: 'gold' })],
  ])('%s', async (_what, make) => {
    expect(await statusOf(make())).toBe(200);
  });

  test('by the name of the agent as well as by its id', async () => {
    expect(await statusOf(sign(usualClaims()), agent.name)).toBe(200);
  });
});

describe('rejected with a 401 is a token', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const signedWith = (algorithm: string, payload: unknown) => {
    const body = `${encode({ alg: algorithm, typ: 'JWT' })}.${encode(payload)}`;
    const hash = algorithm.replace(/\D+/, 'sha');
    return `${body}.${createHmac(hash, secret).update(body).digest('base64url')}`;
  };
  const withRsa = (payload: unknown) => {
    const body = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(payload)}`;
    return `${body}.${createSign('sha256').update(body).sign(rsa.privateKey, 'base64url')}`;
  };
  const without = (claim: string) =>
    Object.fromEntries(Object.entries(usualClaims()).filter(([name]) => name !== claim));
  const traversal = '../../../../../../dev/null';

  test.each<[string, () => string]>([
    ['that is not signed', () => `${encode({ alg: 'none' })}.${encode(usualClaims())}.`],
    ['that is not signed, with a signature', () => sign(usualClaims(), { alg: 'none' })],
    ['whose "none" is spelt otherwise', () => sign(usualClaims(), { alg: 'nOnE' })],
    ['without an algorithm', () => sign(usualClaims(), { typ: 'JWT' })],
    ['signed with another secret', () => sign(usualClaims(), { alg: 'HS256' }, otherSecret)],
    ['signed with an empty secret', () => sign(usualClaims(), { alg: 'HS256' }, '')],
    ['signed with HS384', () => signedWith('HS384', usualClaims())],
    ['signed with HS512', () => signedWith('HS512', usualClaims())],
    ['signed with RS256', () => withRsa(usualClaims())],
    ['that says RS256 and is signed as HS256', () => sign(usualClaims(), { alg: 'RS256' })],
    [
      'signed with a public key as the secret',
      () => sign(usualClaims(), { alg: 'HS256' }, publicPem),
    ],
    [
      'whose payload was changed',
      () => {
        const [header = '', , signature = ''] = sign(usualClaims()).split('.');
        return `${header}.${encode({ ...usualClaims(), user_id: 'user_2' })}.${signature}`;
      },
    ],
    [
      'whose header was changed',
      () => {
        const [, payload = '', signature = ''] = sign(usualClaims()).split('.');
        return `${encode({ alg: 'HS256', typ: 'JWT', x: 1 })}.${payload}.${signature}`;
      },
    ],
    ['with a truncated signature', () => sign(usualClaims()).slice(0, -2)],
    ['with an empty signature', () => sign(usualClaims()).replace(/[^.]+$/, '')],
    [
      'whose kid is the path of an empty file',
      () => sign(usualClaims(), { alg: 'HS256', kid: traversal }, ''),
    ],
    [
      'whose kid is the key',
      () => sign(usualClaims(), { alg: 'HS256', kid: otherSecret }, otherSecret),
    ],
    [
      'whose kid is an injection',
      () => sign(usualClaims(), { alg: 'HS256', kid: "x' UNION SELECT 'k" }, 'k'),
    ],
    [
      'that contains its key',
      () =>
        sign(
          usualClaims(),
          { alg: 'HS256', jwk: { kty: 'oct', k: encode(otherSecret) } },
          otherSecret,
        ),
    ],
    [
      'that contains a key, although its signature is valid',
      () => sign(usualClaims(), { alg: 'HS256', jwk: { kty: 'oct', k: encode(secret) } }),
    ],
    [
      'that names the URL of its key',
      () => sign(usualClaims(), { alg: 'HS256', jku: 'https://attacker.example/keys' }),
    ],
    [
      'with an unknown critical header',
      () => sign(usualClaims(), { alg: 'HS256', crit: ['exp'], exp: 1 }),
    ],
    [
      'with an empty list of critical headers',
      () => sign(usualClaims(), { alg: 'HS256', crit: [] }),
    ],
    [
      'whose payload is not encoded',
      () => sign(usualClaims(), { alg: 'HS256', crit: ['b64'], b64: false }),
    ],
    ['that has expired', () => sign({ ...usualClaims(), iat: now() - 60, exp: now() - 1 })],
    ['that expires now', () => sign({ ...usualClaims(), iat: now() - 60, exp: now() })],
    ['without an expiry', () => sign(without('exp'))],
    ['without an issue time', () => sign(without('iat'))],
    ['without a user', () => sign(without('user_id'))],
    ['whose expiry is a string', () => sign({ ...usualClaims(), exp: String(now() + 60) })],
    ['whose issue time is a string', () => sign({ ...usualClaims(), iat: String(now()) })],
    ['whose expiry is null', () => sign({ ...usualClaims(), exp: null })],
    ['whose expiry is infinite', () => sign(`{"user_id":"u","iat":${now()},"exp":1e999}`)],
    [
      'whose issue time is negatively infinite',
      () => sign(`{"user_id":"u","iat":-1e999,"exp":${now() + 60}}`),
    ],
    ['issued in the future', () => sign({ ...usualClaims(), iat: now() + 60, exp: now() + 600 })],
    ['that is not valid yet', () => sign({ ...usualClaims(), nbf: now() + 60 })],
    [
      'that expires before it was issued',
      () => sign({ ...usualClaims(), iat: now() + 4, exp: now() + 3 }),
    ],
    ['that lives longer than an hour', () => sign({ ...usualClaims(), exp: now() + 3_601 })],
    ['that never expires in practice', () => sign({ ...usualClaims(), exp: 4_102_444_800 })],
    ['whose user is empty', () => sign({ ...usualClaims(), user_id: '' })],
    ['whose user is a number', () => sign({ ...usualClaims(), user_id: 7 })],
    ['whose user is a list', () => sign({ ...usualClaims(), user_id: ['user_1'] })],
    ['whose user is too long', () => sign({ ...usualClaims(), user_id: 'u'.repeat(257) })],
    ['whose user has a NUL', () => sign({ ...usualClaims(), user_id: 'user\0_1' })],
    ['whose user has a lone surrogate', () => sign({ ...usualClaims(), user_id: 'user\ud800' })],
    ['whose role has a NUL', () => sign({ ...usualClaims(), role: 'viewer\0' })],
    ['whose role has a lone surrogate', () => sign({ ...usualClaims(), role: '\udfffviewer' })],
    ['whose payload is a list', () => sign([usualClaims()])],
    ['whose payload is not JSON', () => sign('user_id=1')],
    ['that is too large', () => sign({ ...usualClaims(), fat: 'x'.repeat(8_192) })],
    ['with a fourth part', () => `${sign(usualClaims())}.x`],
    ['that is encrypted', () => `${sign(usualClaims())}.x.y`],
  ])('%s', async (_what, make) => {
    expect(await statusOf(make())).toBe(401);
  });

  test.each(['user\0', 'user\ud800'])('whose user is %j, for a stream too', async (user_id) => {
    const call = { path: { agent_id: agent.id }, body: { message: 'hello' } };
    const { status } = await openStream(service.url, sign({ ...usualClaims(), user_id }), call);
    expect(status).toBe(401);
  });

  test('of another agent, and of an agent without JWT', async () => {
    const plainAgent = await tenant.newAgent();
    expect(await statusOf(sign(usualClaims()), otherAgent.id)).toBe(401);
    expect(await statusOf(sign(usualClaims()), plainAgent.id)).toBe(401);
    expect(await statusOf(sign(usualClaims()), 'missing')).toBe(401);
  });

  test('of random bytes', async () => {
    const key = createSecretKey(Buffer.from(secret));
    const part = fc.string({ unit: 'binary', maxLength: 60 }).map(encode);
    const signed = fc.json().map((payload) => sign(payload));
    const token = fc.oneof(
      fc.tuple(part, part, part).map((parts) => parts.join('.')),
      signed,
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(token, async (text) => {
        expect(await verifyJwt(text, key, new Date())).toBeUndefined();
      }),
    );
  });
});

test('neither secrets nor tokens nor users are logged', () => {
  const log = service.log.join('');
  expect(log).not.toContain(secret);
  expect(log).not.toContain('eyJ');
  expect(log).not.toContain('user_1');
});
