/** Client certificates that an agent that trusts `root` must reject, with the reason. */
import {
  type Authority,
  type Certificate,
  type CertificateOptions,
  createAuthority,
  extension,
} from '../helpers/crypto/certificates.js';
import { der, objectId, octets, sequence } from '../helpers/crypto/der.js';

export const clientAuth = '1.3.6.1.5.5.7.3.2';
export const serverAuth = '1.3.6.1.5.5.7.3.1';
export const usage = { digitalSignature: 0x80, keyCertSign: 0x04 };
const day = 86_400_000;
export const past = new Date(Date.now() - day);
const future = new Date(Date.now() + day / 2);

export const root = createAuthority('Client authority');
export const middle = root.delegate({ name: 'Middle authority' });
export const stranger = createAuthority('Stranger');
export const client = { name: 'client', isAuthority: false, purposes: [clientAuth] };

/** With its intermediate certificates. */
export const withChain = ({ cert, key }: Certificate, ...chain: Certificate[]): Certificate => ({
  cert: [cert, ...chain.map((link) => link.cert)].join(''),
  key,
});

export function withIntermediates(count: number): Certificate {
  const authorities = [root];
  while (authorities.length <= count) {
    const issuer = authorities[0] ?? root;
    authorities.unshift(issuer.delegate({ name: `Level ${authorities.length}` }));
  }
  const [lowest = root] = authorities;
  return withChain(lowest.issue(client), ...authorities.slice(0, -1));
}

const below = (options: CertificateOptions, own: CertificateOptions = client) => {
  const authority = root.delegate(options);
  return withChain(authority.issue(own), authority);
};

const impostor: Authority = createAuthority('Client authority');

export const refusedCertificates: [string, () => Certificate | undefined, string][] = [
  ['no certificate', () => undefined, 'none was sent'],
  ["a stranger's", () => stranger.issue(client), 'does not chain'],
  ['one of an authority of the same name', () => impostor.issue(client), 'does not chain'],
  [
    'one sent with its own authority',
    () => withChain(stranger.issue(client), stranger, root),
    'does not chain',
  ],
  ['one sent without its intermediate authority', () => middle.issue(client), 'does not chain'],
  ['a self-signed one', () => createAuthority('client', client), 'does not chain'],
  ['one that has expired', () => root.issue({ ...client, validUntil: past }), 'has expired'],
  [
    'one that is not valid yet',
    () => root.issue({ ...client, validFrom: future }),
    'not valid yet',
  ],
  [
    "a server's certificate",
    () => root.issue({ ...client, purposes: [serverAuth] }),
    'not meant for client authentication',
  ],
  [
    'one whose key usage excludes signatures',
    () => root.issue({ ...client, keyUsage: 0x20 }),
    'not meant for client authentication',
  ],
  [
    'one signed by a certificate that is not an authority',
    () => below({ name: 'No authority', isAuthority: false }),
    'does not chain',
  ],
  [
    'one of an authority that may not sign certificates',
    () => below({ name: 'May not sign', keyUsage: usage.digitalSignature }),
    'does not chain',
  ],
  [
    'one of an expired intermediate authority',
    () => below({ name: 'Expired authority', validUntil: past }),
    'does not chain',
  ],
  [
    'one of an authority for servers only',
    () => below({ name: 'For servers', purposes: [serverAuth] }),
    'does not chain',
  ],
  [
    'one of an intermediate authority below one with path length 0',
    () => {
      const last = root.delegate({ name: 'Last authority', pathLength: 0 });
      const further = last.delegate({ name: 'One too many' });
      return withChain(further.issue(client), further, last);
    },
    'does not chain',
  ],
  ['one with nine intermediate authorities', () => withIntermediates(9), 'does not chain'],
  [
    'one of an authority with name constraints',
    () => below({ name: 'Constrained', extensions: [extension('2.5.29.30', sequence())] }),
    'does not chain',
  ],
  [
    'one with an unknown critical extension',
    () =>
      root.issue({
        ...client,
        extensions: [extension('1.2.3.4', der(0x05, []), { isCritical: true })],
      }),
    'a critical extension',
  ],
  ['one with an RSA key of 1024 bits', () => root.issue({ ...client, rsaBits: 1024 }), 'too weak'],
  ['one that is signed with SHA-1', () => root.issue({ ...client, digest: 'sha1' }), 'too weak'],
  [
    'one with an unknown extension that is critical by a lax encoding of true',
    () =>
      root.issue({
        ...client,
        extensions: [sequence(objectId('1.2.3.4'), der(0x01, [1]), octets(der(0x05, [])))],
      }),
    'a critical extension',
  ],
  [
    'one with an extension twice',
    () => {
      const unknown = extension('1.2.3.4', der(0x05, []));
      return root.issue({ ...client, extensions: [unknown, unknown] });
    },
    'cannot be read',
  ],
  [
    'one with malformed key usages',
    () =>
      root.issue({
        name: 'client',
        isAuthority: false,
        extensions: [extension('2.5.29.37', Buffer.from([0x30, 0x7f, 1]))],
      }),
    'does not chain',
  ],
];
