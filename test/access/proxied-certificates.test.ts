/** mtls behind a proxy that terminates TLS: only the configured header of a trusted proxy counts. */
import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { apiClient } from '../helpers/service/api.js';
import { createAuthority } from '../helpers/crypto/certificates.js';
import { useFiles, useTlsFiles } from '../helpers/programs/files.js';
import { useFixture } from '../helpers/service/fixture.js';
import { httpsFetch } from './https-fetch.js';
import { exchange, parseAnswer, requestText } from '../helpers/servers/raw-http.js';
import { useInstance, useService, useTenant } from '../helpers/service/service.js';

const root = createAuthority('Client authority');
const middle = root.delegate({ name: 'Middle authority' });
const stranger = createAuthority('Stranger');
const client = { name: 'client', isAuthority: false };
const good = root.issue(client);
const low = middle.issue(client);
const bad = stranger.issue(client);

const proxy = { TRUST_PROXY: '127.0.0.1' };
const header = { CLIENT_CERT_HEADER: 'X-Client-Cert' };

const direct = useService();
const tenant = useTenant(direct);
const files = useFiles();
const tls = useTlsFiles(root);
const proxied = useInstance(direct, () => ({ ...proxy, ...header }));
const withoutHeader = useInstance(direct, () => proxy);
const tlsProxy = useInstance(direct, () => ({ ...proxy, ...header, ...tls }));
const agent = useFixture(async () => {
  const caCert = await files.write('ca.pem', root.cert);
  return tenant.newAgent({ policy: { security: { mtls: { enabled: true, caCert } } } });
});

const percent = encodeURIComponent;
const base64 = (pem: string) => new X509Certificate(pem).raw.toString('base64');

async function ask(url: string, headers: Record<string, string>): Promise<number> {
  const call = { path: { agent_id: agent.id }, headers };
  return (await apiClient(url, tenant.key).call('getAgent', call)).status;
}

describe('accepted is a certificate that the proxy sends as', () => {
  test.each([
    ['percent-encoded PEM', percent(good.cert)],
    ['percent-encoded PEM with the chain', percent(low.cert + middle.cert)],
    ['base64 of DER', base64(good.cert)],
    ['base64 of DER between colons', `:${base64(good.cert)}:`],
    ['base64 of DER with the chain', `${base64(low.cert)},${base64(middle.cert)}`],
    ['an Envoy field', `By=spiffe://x;Hash=00;Cert="${percent(good.cert)}";Subject="CN=a, O=b"`],
    ['Envoy fields', `Chain="${percent(low.cert + middle.cert)}";Cert="${percent(low.cert)}"`],
    [
      'the last of several Envoy elements',
      `Cert="${percent(bad.cert)}";Subject="x, Cert=",Hash=00;Cert="${percent(good.cert)}"`,
    ],
  ])('%s', async (_form, value) => {
    expect(await ask(proxied.url, { 'x-client-cert': value })).toBe(200);
  });
});

describe('rejected with a 403 is', () => {
  test.each([
    ['no header', undefined],
    ['an empty one', ''],
    ["a stranger's certificate", percent(bad.cert)],
    ["a stranger's certificate before a good one", percent(bad.cert + good.cert)],
    ['a chain without its first certificate', percent(middle.cert.replace('A', 'B'))],
    [
      'a certificate of an intermediate authority without its chain',
      percent(middle.issue(client).cert),
    ],
    ['a truncated certificate', percent(good.cert.slice(0, 200))],
    ['a broken percent-encoding', `${percent(good.cert)}%E0%A4`],
    ['base64 of nothing', 'AAAA'],
    ['words', 'SUCCESS'],
    ['the name only', 'CN=client'],
    ['Envoy without a certificate', 'Hash=00;Subject="CN=client"'],
    [
      'an Envoy element of a client further away',
      `Cert="${percent(good.cert)}",Hash=00;Subject="CN=client"`,
    ],
  ])('%s', async (_what, value) => {
    const headers = value === undefined ? {} : { 'x-client-cert': value };
    expect(await ask(proxied.url, headers)).toBe(403);
  });

  test('a valid certificate from a client that is not a proxy', async () => {
    expect(await ask(direct.url, { 'x-client-cert': percent(good.cert) })).toBe(403);
  });

  test('a valid certificate if no header is configured', async () => {
    expect(await ask(withoutHeader.url, { 'x-client-cert': percent(good.cert) })).toBe(403);
  });

  test.each(['x-forwarded-client-cert', 'x-ssl-client-cert', 'ssl-client-cert', 'client-cert'])(
    'a valid certificate in the header %s, which is not the configured one',
    async (name) => {
      expect(await ask(proxied.url, { [name]: percent(good.cert) })).toBe(403);
    },
  );

  test("a valid certificate next to another one: the proxy did not remove the client's header", async () => {
    const value = percent(good.cert);
    const request = requestText('GET', `/v1/agents/${agent.id}`, {
      Authorization: `Bearer ${tenant.key}`,
      'X-Client-Cert': `${value}\r\nX-Client-Cert: ${percent(bad.cert)}`,
    });
    expect(parseAnswer(await exchange(proxied.url, request)).status).toBe(403);
  });

  test("the proxy's own certificate, which says nothing about the client", async () => {
    const transport = httpsFetch({ ca: root.cert, ...good });
    const api = apiClient(tlsProxy.url, tenant.key, transport);
    const path = { agent_id: agent.id };
    await api.expect('getAgent', 403, { path });
    await api.expect('getAgent', 403, { path, headers: { 'x-client-cert': percent(bad.cert) } });
    await api.expect('getAgent', 200, { path, headers: { 'x-client-cert': percent(good.cert) } });
  });
});
