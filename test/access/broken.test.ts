/** Settings that cannot be evaluated reject every request, are logged, and cannot be applied. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createAuthority } from '../helpers/crypto/certificates.js';
import { eventually } from '../helpers/eventually.js';
import { useFiles } from '../helpers/programs/files.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { signToken, usualClaims } from '../helpers/crypto/tokens.js';

const shortSecret = 'hunter2-hunter2';
const authority = createAuthority('Clients');
const clientCertificate = authority.issue({ name: 'client', isAuthority: false });
const otherCertificate = authority.issue({ name: 'other', isAuthority: false });
const expired = createAuthority('Expired', { validUntil: new Date(Date.now() - 1_000) });

const service = useService();
const tenant = useTenant(service, { isOnlyAccount: true });
const operator = operatorInProcess(service);
const files = useFiles();

beforeAll(async () => {
  await files.write('short', shortSecret);
  await files.write('empty', '');
  await files.write('public.pem', '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQ\n');
  await files.write('text.pem', 'no certificate');
  await files.write('broken.pem', authority.cert.replace(/M/g, 'A'));
  await files.write('ca.pem', authority.cert);
  await files.write('expired.pem', expired.cert);
  await files.write('client.pem', clientCertificate.cert);
  await files.write('client-key.pem', clientCertificate.key);
  await files.write('other-key.pem', otherCertificate.key);
  await files.write('good', 'a secret that has at least 32 bytes');
});

const file = (name: string) => files.path(name);
const jwt = (secret: string, rest: object = {}) => ({ auth: { type: 'jwt', secret, ...rest } });
const mtls = (rest: object) => ({
  security: { enforceHttps: false, mtls: { enabled: true, caCert: file('ca.pem'), ...rest } },
});
const whitelist = (...addresses: string[]) => ({
  security: { enforceHttps: false, ipWhitelist: { enabled: true, addresses } },
});

/** The defect, the settings, and the message for the operator. */
const cases: [string, () => object, RegExp][] = [
  [
    'a variable that is not set',
    () => jwt('${env:NEVER_SET}'),
    /auth\.secret .*NEVER_SET is not set/,
  ],
  ['a missing secret file', () => jwt(`\${file:${file('no')}}`), /auth\.secret .*ENOENT/],
  ['an empty secret file', () => jwt(`\${file:${file('empty')}}`), /auth\.secret .*is empty/],
  ['a secret that is too short', () => jwt(`\${file:${file('short')}}`), /shorter than 32 bytes/],
  ['a public key as the secret', () => jwt(`\${file:${file('public.pem')}}`), /is a public key/],
  [
    'an undefined role',
    () => jwt(`\${file:${file('good')}}`, { roles: ['viewer', 'janitor'] }),
    /auth\.roles names the role 'janitor', which is not defined; there are: admin, developer, viewer/,
  ],
  ['a missing authority', () => mtls({ caCert: file('no.pem') }), /caCert cannot be read.*ENOENT/],
  ['a folder as the authority', () => mtls({ caCert: file('.') }), /caCert cannot be read.*EISDIR/],
  [
    'an authority that is not a certificate',
    () => mtls({ caCert: file('text.pem') }),
    /caCert must name certificates/,
  ],
  [
    'a damaged authority',
    () => mtls({ caCert: file('broken.pem') }),
    /caCert must name certificates/,
  ],
  ['an invalid address', () => whitelist('300.1.1.1'), /addresses is not usable: '300\.1\.1\.1'/],
  [
    'an invalid range',
    () => whitelist('10.0.0.0/8', '10.0.0.0/33'),
    /'10\.0\.0\.0\/33' is neither/,
  ],
  [
    'a window that is too long',
    () => ({
      security: { enforceHttps: false, rateLimit: { enabled: true, requests: 1, window: '2d' } },
    }),
    /rateLimit\.window must be from 1s to 1d/,
  ],
];

describe('with', () => {
  test.each(cases)(
    '%s every request is rejected, and the log says why',
    async (_what, settings, reason) => {
      const { id, name } = await tenant.newAgent({ policy: settings() });
      for (const agent_id of [id, name]) {
        const { status, headers, body } = await tenant.api.call('getAgent', { path: { agent_id } });
        expect(status).toBe(503);
        expect(headers.get('retry-after')).toBe('10');
        expect(body).toMatchObject({
          error: { code: 'unavailable', message: expect.stringContaining('cannot be evaluated') },
        });
        expect(JSON.stringify(body)).not.toMatch(reason);
      }
      const lines = service.log.filter((line) => line.includes(id) && line.includes('reasons'));
      expect(lines.join('')).toMatch(reason);
    },
  );

  test.each(cases)('%s the operator cannot apply a manifest', async (_what, settings, reason) => {
    const manifest = { name: 'never-made', model: 'builtin/echo', ...settings() };
    const path = await files.write('manifest.json', JSON.stringify(manifest));
    const { code, stderr } = await operator.run(['agents', 'apply', '-f', path]);
    expect(code).toBe(2);
    expect(stderr).toContain(', and nothing was changed:');
    expect(stderr).toMatch(reason);
    await tenant.api.expect('getAgent', 404, { path: { agent_id: 'never-made' } });
  });

  test.each<[string, () => object, RegExp]>([
    ['an expired authority', () => mtls({ caCert: file('expired.pem') }), /caCert has expired/],
    [
      'a key of another certificate',
      () => mtls({ clientCert: file('client.pem'), clientKey: file('other-key.pem') }),
      /clientKey is not the key of clientCert/,
    ],
    [
      'an invalid key',
      () => mtls({ clientCert: file('client.pem'), clientKey: file('text.pem') }),
      /clientKey must name a private key/,
    ],
    [
      'a provider on a private address',
      () => ({ auth: { type: 'oauth2', provider: 'https://10.0.0.1', clientId: 'x' } }),
      /auth\.provider must not lead to a private/,
    ],
    [
      'a provider without https',
      () => ({ auth: { type: 'oauth2', provider: 'http://provider.example', clientId: 'x' } }),
      /auth\.provider must be https/,
    ],
    [
      'a missing client secret',
      () => ({
        auth: {
          type: 'oauth2',
          provider: 'https://192.0.2.1',
          clientId: 'x',
          clientSecret: '${env:NEVER_SET}',
        },
      }),
      /auth\.clientSecret .*NEVER_SET is not set/,
    ],
  ])('%s the operator cannot apply a manifest either', async (_what, settings, reason) => {
    const manifest = { name: 'never-made', model: 'builtin/echo', ...settings() };
    const path = await files.write('manifest.json', JSON.stringify(manifest));
    const { code, stderr } = await operator.run(['agents', 'apply', '-f', path]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(reason)]);
  });
});

test('a token gets the same 401 as from an unknown agent', async () => {
  const { id } = await tenant.newAgent({ policy: jwt('${env:NEVER_SET}') });
  const token = signToken('a secret that has at least 32 bytes', usualClaims());
  for (const agent_id of [id, 'no-such-agent']) {
    await service
      .api(token)
      .expect('invokeAgent', 401, { path: { agent_id }, body: { message: 'x' } });
  }
});

test('a caller who cannot see the agent gets a 404', async () => {
  const { id } = await tenant.newAgent({ policy: jwt('${env:NEVER_SET}') });
  const stranger = await service.tenant();
  const elsewhere = await tenant.newAgent();
  const scoped = await tenant.newKey({ agentId: elsewhere.id });
  for (const api of [stranger.api, service.api(scoped.key)]) {
    await api.expect('getAgent', 404, { path: { agent_id: id } });
  }
});

test('a repaired setting takes effect without applying or restarting anything', async () => {
  const place = await files.write('later.pem', 'not yet');
  const { id } = await tenant.newAgent({ policy: mtls({ caCert: place }) });
  await tenant.api.expect('getAgent', 503, { path: { agent_id: id } });
  await files.write('later.pem', authority.cert);
  await eventually(() => tenant.api.expect('getAgent', 403, { path: { agent_id: id } }));
  await files.write('later.pem', 'gone again');
  await eventually(() => tenant.api.expect('getAgent', 503, { path: { agent_id: id } }));
});

test("no secret is in the log or in the operator's output", async () => {
  const manifest = {
    name: 'never-made',
    model: 'builtin/echo',
    ...jwt(`\${file:${file('short')}}`),
  };
  const path = await files.write('manifest.json', JSON.stringify(manifest));
  const { stdout, stderr } = await operator.run([
    ...['agents', 'apply', '-f', path, '--account', 'tenant-1'],
  ]);
  expect(service.log.join('') + stdout + stderr).not.toContain(shortSecret);
});
