/** A client cannot push out the headers that a proxy adds after its own by sending many of them. */
import { describe, expect, test } from '@jest/globals';
import { createAuthority } from '../helpers/crypto/certificates.js';
import { useFiles } from '../helpers/programs/files.js';
import { exchange, parseAnswer, type RawAnswer } from '../helpers/servers/raw-http.js';
import { useInstance, useService, useTenant } from '../helpers/service/service.js';

const metricsToken = 'token-of-the-scraper';
const service = useService();
const tenant = useTenant(service);
const files = useFiles();
const behindProxy = useInstance(service, () => ({
  TRUST_PROXY: '127.0.0.1',
  CLIENT_CERT_HEADER: 'X-Client-Cert',
  METRICS_TOKEN: metricsToken,
  METRICS_PORT: '0',
}));

/** What the client sends, more headers than Node keeps by default, and what the proxy adds. */
async function send(url: string, target: string, [client, proxy]: [string[], string[]]) {
  const many = Array.from({ length: 1_100 }, () => 'a:1');
  const lines = [`GET ${target} HTTP/1.1`, 'Host: localhost', ...client, ...many, ...proxy];
  return parseAnswer(await exchange(url, [...lines, 'Connection: close', '', ''].join('\r\n')));
}

const authorization = () => `Authorization: Bearer ${tenant.key}`;

function askForAgent(
  id: string,
  { client = [], proxy }: { client?: string[]; proxy: string[] },
): Promise<RawAnswer> {
  return send(behindProxy.url, `/v1/agents/${id}`, [[authorization(), ...client], proxy]);
}

describe('after a thousand headers of the client,', () => {
  test('the address from the proxy counts', async () => {
    const addresses = ['127.0.0.1', '203.0.113.7'];
    const { id } = await tenant.newAgent({
      policy: { security: { ipWhitelist: { enabled: true, addresses } } },
    });
    const from = async (address: string) =>
      (await askForAgent(id, { proxy: [`X-Forwarded-For: ${address}`] })).status;
    expect(await from('198.51.100.9')).toBe(403);
    expect(await from('203.0.113.7')).toBe(200);
  });

  test('the protocol from the proxy counts', async () => {
    const { id } = await tenant.newAgent({ policy: { security: { enforceHttps: true } } });
    const claimed = ['X-Forwarded-Proto: https'];
    const over = async (protocol: string) =>
      (await askForAgent(id, { client: claimed, proxy: [`X-Forwarded-Proto: ${protocol}`] }))
        .status;
    expect(await over('http')).toBe(403);
    expect(await over('https')).toBe(200);
  });

  test('the certificate from the proxy counts', async () => {
    const root = createAuthority('Client authority');
    const client = { name: 'client', isAuthority: false };
    const header = (cert: string) => `X-Client-Cert: ${encodeURIComponent(cert)}`;
    const good = header(root.issue(client).cert);
    const bad = header(createAuthority('Stranger').issue(client).cert);
    const caCert = await files.write('ca.pem', root.cert);
    const { id } = await tenant.newAgent({
      policy: { security: { mtls: { enabled: true, caCert } } },
    });
    expect((await askForAgent(id, { client: [good], proxy: [bad] })).status).toBe(403);
    expect((await askForAgent(id, { proxy: [good] })).status).toBe(200);
  });

  test('a credential is found, by the service and by its metrics', async () => {
    expect((await send(service.url, '/v1/agents', [[], [authorization()]])).status).toBe(200);
    const scraper = `Authorization: Bearer ${metricsToken}`;
    expect((await send(behindProxy.metricsUrl ?? '', '/metrics', [[], [scraper]])).status).toBe(
      200,
    );
  });
});

test('headers of more than 16 KiB are a 400', async () => {
  const large = [`X-Large: ${'a'.repeat(16 * 1024)}`];
  const { status, body } = await send(service.url, '/v1/agents', [[authorization()], large]);
  expect([status, body]).toEqual([400, expect.stringContaining('larger than 16 KiB')]);
});
