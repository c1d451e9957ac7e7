/** Serving HTTPS: validation of the files, and replacing them while connections are open. */
import { once } from 'node:events';
import https from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import { createAuthority } from '../helpers/crypto/certificates.js';
import { eventually } from '../helpers/eventually.js';
import { useFiles } from '../helpers/programs/files.js';
import { useInstance, useService } from '../helpers/service/service.js';

const authority = createAuthority('Server authority');
const first = authority.issue({ name: 'first', hosts: ['127.0.0.1'] });
const second = authority.issue({ name: 'second', hosts: ['127.0.0.1'] });
const third = authority.issue({ name: 'third', hosts: ['127.0.0.1'] });

const plain = useService();
const files = useFiles();
const instance = useInstance(plain, async () => ({
  TLS_CERT: await files.write('cert.pem', first.cert),
  TLS_KEY: await files.write('key.pem', first.key),
}));

async function open(options: object = {}): Promise<TLSSocket> {
  const { hostname, port } = new URL(instance.url);
  const socket = connect({ host: hostname, port: Number(port), ca: authority.cert, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

async function servedName(): Promise<unknown> {
  const socket = await open();
  const name = socket.getPeerCertificate().subject.CN;
  socket.destroy();
  return name;
}

function get(agent: https.Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    https
      .get(`${instance.url}/healthz`, { agent, ca: authority.cert }, (response) => {
        response.resume().once('end', () => {
          resolve(response.statusCode ?? 0);
        });
      })
      .once('error', reject);
  });
}

test.each(['AES256-GCM-SHA384', 'AES128-SHA', 'ECDHE-RSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384'])(
  'TLS 1.2 without forward secrecy or authenticated encryption is rejected: %s',
  async (ciphers) => {
    await expect(open({ maxVersion: 'TLSv1.2', ciphers })).rejects.toThrow();
  },
);

test('TLS 1.2 with forward secrecy is accepted', async () => {
  const socket = await open({ maxVersion: 'TLSv1.2' });
  expect(socket.getCipher().name).toMatch(/^ECDHE-.*(GCM|POLY1305)/);
  socket.destroy();
});

describe('replacing the certificate', () => {
  test('affects new connections, and open ones stay', async () => {
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
    expect(await get(agent)).toBe(200);
    const [socket] = Object.values(agent.freeSockets).flat();
    expect(await servedName()).toBe('first');

    await files.write('cert.pem', second.cert);
    await files.write('key.pem', second.key);
    await eventually(async () => {
      expect(await servedName()).toBe('second');
    });

    expect(await get(agent)).toBe(200);
    expect(Object.values(agent.freeSockets).flat()).toEqual([socket]);
    agent.destroy();
    expect(instance.log.join('')).toContain('TLS certificate reloaded');
  });

  test('is postponed while the files do not match, and the log says so without the key', async () => {
    await files.write('key.pem', third.key);
    await eventually(() => {
      expect(instance.log.join('')).toContain('TLS certificate not reloaded');
    });
    expect(await servedName()).toBe('second');
    expect(instance.log.join('')).not.toContain('PRIVATE KEY');

    await files.write('cert.pem', third.cert);
    await eventually(async () => {
      expect(await servedName()).toBe('third');
    });
  });
});

describe('a handshake', () => {
  test('below TLS 1.2 is rejected', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(open(old)).rejects.toThrow();
  });

  test('in plain text gets no response, and affects no other connection', async () => {
    await expect(fetch(instance.url.replace('https:', 'http:'))).rejects.toThrow();
    expect(await servedName()).toBe('third');
  });
});

describe('the service does not start with', () => {
  test.each<[string, () => Promise<Record<string, string>>, RegExp]>([
    [
      'a missing certificate',
      async () => ({
        TLS_CERT: files.path('missing.pem'),
        TLS_KEY: await files.write('k.pem', first.key),
      }),
      /TLS_CERT names .*missing\.pem, which cannot be read \(ENOENT\)/,
    ],
    [
      'a missing key',
      async () => ({
        TLS_CERT: await files.write('c.pem', first.cert),
        TLS_KEY: files.path('missing.pem'),
      }),
      /TLS_KEY names .*missing\.pem/,
    ],
    [
      'a key of another certificate',
      async () => ({
        TLS_CERT: await files.write('c.pem', first.cert),
        TLS_KEY: await files.write('k.pem', second.key),
      }),
      /must be a certificate in PEM and its private key/,
    ],
    [
      'an invalid certificate',
      async () => ({
        TLS_CERT: await files.write('c.pem', 'certificate'),
        TLS_KEY: await files.write('k.pem', first.key),
      }),
      /must be a certificate in PEM and its private key/,
    ],
    [
      'a header without a proxy',
      () => Promise.resolve({ CLIENT_CERT_HEADER: 'X-Client-Cert' }),
      /CLIENT_CERT_HEADER only has an effect together with TRUST_PROXY/,
    ],
    [
      'an invalid header',
      () => Promise.resolve({ CLIENT_CERT_HEADER: 'X Client', TRUST_PROXY: '10.0.0.1' }),
      /CLIENT_CERT_HEADER must be the name of a header/,
    ],
  ])('%s, and names the variable', async (_what, environment, message) => {
    await expect(plain.another(await environment())).rejects.toThrow(message);
  });
});
