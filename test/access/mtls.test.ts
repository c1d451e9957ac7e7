/** mtls: client certificates in real handshakes, verified against the authority of each agent. */
import { connect as connectSecurely } from 'node:tls';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { apiClient } from '../helpers/service/api.js';
import { type Certificate, createAuthority } from '../helpers/crypto/certificates.js';
import { useFiles, useTlsFiles } from '../helpers/programs/files.js';
import { httpsFetch } from './https-fetch.js';
import { parseAnswer, requestText, untilClosed } from '../helpers/servers/raw-http.js';
import { useInstance, useService, useTenant } from '../helpers/service/service.js';
import {
  client,
  clientAuth,
  middle,
  past,
  refusedCertificates,
  root,
  serverAuth,
  stranger,
  usage,
  withChain,
  withIntermediates,
} from './refused-certificates.js';

const serverAuthority = createAuthority('Server authority');

const plain = useService();
const tenant = useTenant(plain);
const files = useFiles();
const tls = useTlsFiles(serverAuthority);
const secure = useInstance(plain, () => tls);
let agent: string;
let caCert: string;

beforeAll(async () => {
  caCert = await files.write('clients-ca.pem', root.cert);
  agent = await agentTrusting(caCert);
});

async function agentTrusting(file: string, enabled = true): Promise<string> {
  const policy = { security: { mtls: { enabled, caCert: file } } };
  return (await tenant.newAgent({ policy })).id;
}

function connect(certificate?: Certificate, options: object = {}) {
  // The client's OpenSSL would not load some of the certificates that the service must reject.
  const lax = { ciphers: 'DEFAULT@SECLEVEL=0' };
  const transport = httpsFetch({ ca: serverAuthority.cert, ...lax, ...certificate, ...options });
  return apiClient(secure.url, tenant.key, transport);
}

async function ask(certificate?: Certificate, options: object = {}, target = agent) {
  const { status, body } = await connect(certificate, options).call('getAgent', {
    path: { agent_id: target },
  });
  return { status, message: JSON.stringify(body) };
}

describe('accepted is a client certificate', () => {
  test.each<[string, () => Certificate]>([
    ['of the authority itself', () => root.issue(client)],
    ['without extended key usages', () => root.issue({ name: 'client', isAuthority: false })],
    [
      'with several extended key usages',
      () => root.issue({ ...client, purposes: [serverAuth, clientAuth] }),
    ],
    [
      'with a suitable key usage',
      () => root.issue({ ...client, keyUsage: usage.digitalSignature }),
    ],
    ['with an RSA key of 2048 bits', () => root.issue({ ...client, rsaBits: 2048 })],
    [
      'of an intermediate authority, which is sent with it',
      () => withChain(middle.issue(client), middle),
    ],
    [
      'of a second-level intermediate, in any order',
      () => {
        const low = middle.delegate({ name: 'Low authority' });
        return withChain(low.issue(client), middle, low);
      },
    ],
    ['with eight intermediate authorities', () => withIntermediates(8)],
    [
      'of an authority with path length 0',
      () => {
        const last = root.delegate({ name: 'Last authority', pathLength: 0 });
        return withChain(last.issue(client), last);
      },
    ],
  ])('%s', async (_what, make) => {
    expect(await ask(make())).toMatchObject({ status: 200 });
  });

  test.each(['TLSv1.2', 'TLSv1.3'])('over %s', async (version) => {
    const options = { minVersion: version, maxVersion: version };
    expect(await ask(root.issue(client), options)).toMatchObject({ status: 200 });
    const chained = withChain(middle.issue(client), middle);
    expect(await ask(chained, options)).toMatchObject({ status: 200 });
  });
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a client that resumes a session of %s is verified by its whole chain',
  async (version) => {
    const { hostname, port } = new URL(secure.url);
    const authorization = `Bearer ${tenant.key}`;
    let session: Buffer | undefined;
    for (let visit = 0; visit < 3; visit += 1) {
      const socket = connectSecurely({
        host: hostname,
        port: Number(port),
        ca: serverAuthority.cert,
        ...withChain(middle.issue(client), middle),
        minVersion: version,
        maxVersion: version,
        ...(session === undefined ? {} : { session }),
      });
      socket.on('session', (given: Buffer) => {
        session = given;
      });
      // Another agent each time, which has not seen the certificate before.
      const target = await agentTrusting(caCert);
      const answer = untilClosed(socket);
      socket.write(requestText('GET', `/v1/agents/${target}`, { Authorization: authorization }));
      expect(parseAnswer(await answer).status).toBe(200);
    }
  },
);

describe('rejected with a 403 is', () => {
  test.each(refusedCertificates)('%s', async (_what, make, reason) => {
    const { status, message } = await ask(make());
    expect({ status, message }).toEqual({ status: 403, message: expect.stringContaining(reason) });
    expect(message).toContain('This agent requires a client certificate that it accepts');
  });

  test('a valid certificate of one client on the connection of another, since each connection is verified', async () => {
    expect(await ask(root.issue(client))).toMatchObject({ status: 200 });
    expect(await ask()).toMatchObject({ status: 403 });
  });

  test('everything over plain http', async () => {
    await tenant.api.expect('getAgent', 403, { path: { agent_id: agent } });
  });
});

describe('authorities that certify each other in a circle', () => {
  test('are each tried once, so that verification terminates', async () => {
    const first = root.delegate({ name: 'First', pathLength: 0 });
    const second = createAuthority('Second');
    const circle = [1, 2, 3].flatMap(() => [
      first.delegate({ name: 'Second', key: second.key }),
      second.delegate({ name: 'First', key: first.key }),
    ]);
    const { status, message } = await ask(withChain(second.issue(client), first, ...circle));
    expect({ status, message }).toEqual({
      status: 403,
      message: expect.stringContaining('does not chain'),
    });
  });
});

describe('each agent has its own authority', () => {
  test('and a certificate is valid for agents with its authority', async () => {
    const theirs = await agentTrusting(await files.write('theirs.pem', stranger.cert));
    const both = await agentTrusting(await files.write('both.pem', root.cert + stranger.cert));
    const ours = root.issue(client);
    expect(await ask(ours, {}, theirs)).toMatchObject({ status: 403 });
    expect(await ask(ours, {}, both)).toMatchObject({ status: 200 });
    expect(await ask(stranger.issue(client), {}, theirs)).toMatchObject({ status: 200 });
    expect(await ask(stranger.issue(client), {}, both)).toMatchObject({ status: 200 });
  });

  test('an intermediate authority can be configured', async () => {
    const narrow = await agentTrusting(await files.write('middle.pem', middle.cert));
    expect(await ask(middle.issue(client), {}, narrow)).toMatchObject({ status: 200 });
    expect(await ask(root.issue(client), {}, narrow)).toMatchObject({ status: 403 });
  });

  test('an expired authority verifies no certificate', async () => {
    const over = createAuthority('Over', { validUntil: past });
    const orphaned = await agentTrusting(await files.write('over.pem', over.cert));
    expect(await ask(over.issue(client), {}, orphaned)).toMatchObject({ status: 403 });
  });

  test('mtls that is disabled requires no certificate', async () => {
    const open = await agentTrusting('/does/not/exist.pem', false);
    expect(await ask(undefined, {}, open)).toMatchObject({ status: 200 });
  });
});
