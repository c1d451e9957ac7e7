/** auth.type jwt: which tokens take the place of a key, and the many that do not. */
import { createHmac, createSecretKey, createSign, generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { verifyJwt } from '../../server/domain/tokens/jwt.js';
import { createFiles } from '../helpers/files.js';
import { useService, useTenant } from '../helpers/service.js';
import { encode, now, signToken, usualClaims } from '../helpers/tokens.js';

const secret = 'a secret of the support bot, of at least 32 bytes';
const otherSecret = 'a secret of somebody else, of at least 32 bytes';

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

describe('let in is a token', () => {
  test.each<[string, () => string]>([
    ['with the three claims', () => sign(usualClaims())],
    ['without a type', () => sign(usualClaims(), { alg: 'HS256' })],
    [
      'that names a key, which nobody looks at',
      () => sign(usualClaims(), { alg: 'HS256', kid: '1' }),
    ],
    ['of a clock a little ahead', () => sign({ ...usualClaims(), iat: now() + 3 })],
    ['with a role that does not count here', () => sign({ ...usualClaims(), role: 'admin' })],
    ['with a role of no known form', () => sign({ ...usualClaims(), role: { admin: true } })],
    ['with claims of its own', () => sign({ ...usualClaims(), sub: 'x', plan: 'gold' })],
  ])('%s', async (_what, make) => {
    expect(await statusOf(make())).toBe(200);
  });

  test('by the name of the agent as well as by its id', async () => {
    expect(await statusOf(sign(usualClaims()), agent.name)).toBe(200);
  });
});

describe('refused with a 401 is a token', () => {
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
    ['signed with nothing', () => sign(usualClaims(), { alg: 'HS256' }, '')],
    ['signed with HS384', () => signedWith('HS384', usualClaims())],
    ['signed with HS512', () => signedWith('HS512', usualClaims())],
    ['signed with RS256', () => withRsa(usualClaims())],
    ['that says RS256 and is signed as HS256', () => sign(usualClaims(), { alg: 'RS256' })],
    [
      'signed with a public key as the secret',
      () => sign(usualClaims(), { alg: 'HS256' }, publicPem),
    ],
    [
      'with another payload than was signed',
      () => {
        const [header = '', , signature = ''] = sign(usualClaims()).split('.');
        return `${header}.${encode({ ...usualClaims(), user_id: 'user_2' })}.${signature}`;
      },
    ],
    [
      'with another header than was signed',
      () => {
        const [, payload = '', signature = ''] = sign(usualClaims()).split('.');
        return `${encode({ alg: 'HS256', typ: 'JWT', x: 1 })}.${payload}.${signature}`;
      },
    ],
    ['with a signature that is cut off', () => sign(usualClaims()).slice(0, -2)],
    ['with an empty signature', () => sign(usualClaims()).replace(/[^.]+$/, '')],
    [
      'whose kid leads to an empty file',
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
      'that brings its key along',
      () =>
        sign(
          usualClaims(),
          { alg: 'HS256', jwk: { kty: 'oct', k: encode(otherSecret) } },
          otherSecret,
        ),
    ],
    [
      'that brings a key along, though it is signed well',
      () => sign(usualClaims(), { alg: 'HS256', jwk: { kty: 'oct', k: encode(secret) } }),
    ],
    [
      'that names an address of its key',
      () => sign(usualClaims(), { alg: 'HS256', jku: 'https://attacker.example/keys' }),
    ],
    [
      'with a critical header that nobody knows',
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
    ['without an end', () => sign(without('exp'))],
    ['without a beginning', () => sign(without('iat'))],
    ['without a user', () => sign(without('user_id'))],
    ['whose end is a text', () => sign({ ...usualClaims(), exp: String(now() + 60) })],
    ['whose beginning is a text', () => sign({ ...usualClaims(), iat: String(now()) })],
    ['whose end is null', () => sign({ ...usualClaims(), exp: null })],
    ['whose end is beyond numbers', () => sign(`{"user_id":"u","iat":${now()},"exp":1e999}`)],
    [
      'whose beginning is before numbers',
      () => sign(`{"user_id":"u","iat":-1e999,"exp":${now() + 60}}`),
    ],
    ['of the future', () => sign({ ...usualClaims(), iat: now() + 60, exp: now() + 600 })],
    ['that is not valid yet', () => sign({ ...usualClaims(), nbf: now() + 60 })],
    [
      'that ends before it begins',
      () => sign({ ...usualClaims(), iat: now() + 4, exp: now() + 3 }),
    ],
    ['that lives longer than an hour', () => sign({ ...usualClaims(), exp: now() + 3_601 })],
    ['that lives for ever', () => sign({ ...usualClaims(), exp: 4_102_444_800 })],
    ['whose user is empty', () => sign({ ...usualClaims(), user_id: '' })],
    ['whose user is a number', () => sign({ ...usualClaims(), user_id: 7 })],
    ['whose user is a list', () => sign({ ...usualClaims(), user_id: ['user_1'] })],
    ['whose user is endless', () => sign({ ...usualClaims(), user_id: 'u'.repeat(257) })],
    ['whose payload is a list', () => sign([usualClaims()])],
    ['whose payload is no JSON', () => sign('user_id=1')],
    [
      'that is larger than any honest one',
      () => sign({ ...usualClaims(), fat: 'x'.repeat(8_192) }),
    ],
    ['with a fourth part', () => `${sign(usualClaims())}.x`],
    ['that is encrypted', () => `${sign(usualClaims())}.x.y`],
  ])('%s', async (_what, make) => {
    expect(await statusOf(make())).toBe(401);
  });

  test('of another agent, and of an agent without tokens', async () => {
    const plainAgent = await tenant.newAgent();
    expect(await statusOf(sign(usualClaims()), otherAgent.id)).toBe(401);
    expect(await statusOf(sign(usualClaims()), plainAgent.id)).toBe(401);
    expect(await statusOf(sign(usualClaims()), 'nobody')).toBe(401);
  });

  test('whatever bytes it is made of', async () => {
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

test('neither secrets nor tokens nor users are in the log', () => {
  const log = service.log.join('');
  expect(log).not.toContain(secret);
  expect(log).not.toContain('eyJ');
  expect(log).not.toContain('user_1');
});
