/** Creates certificates for tests, because no tool for it is available on every machine. */
import {
  createPrivateKey,
  createPublicKey,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { boolean, der, integer, objectId, octets, sequence, time, utf8 } from './der.js';

export interface Certificate {
  cert: string;
  key: string;
}

export interface CertificateOptions {
  name: string;
  /** Addresses and host names that it is valid for. */
  hosts?: string[];
  /** Defaults to true for a certificate without hosts. */
  isAuthority?: boolean;
  validFrom?: Date;
  validUntil?: Date;
  /** The extended key usages, as object identifiers. */
  purposes?: string[];
  /** The first byte of the key usage bits. */
  keyUsage?: number;
  /** The path length constraint. */
  pathLength?: number;
  extensions?: Buffer[];
  rsaBits?: number;
  /** The private key of another certificate, to certify it again; a new key by default. */
  key?: string;
  digest?: keyof typeof signatureAlgorithms;
}

export interface Authority extends Certificate {
  issue: (options: CertificateOptions) => Certificate;
  /** Creates an intermediate authority. */
  delegate: (options: CertificateOptions) => Authority;
}

interface Issuer {
  name: string;
  key: KeyObject;
}

export function createAuthority(
  name: string,
  options: Omit<CertificateOptions, 'name'> = {},
): Authority {
  const keys = keyPair({});
  const cert = assemble({ ...options, name }, keys.publicKey, { name, key: keys.privateKey });
  return authority(cert, { name, key: keys.privateKey });
}

function authority(cert: string, issuer: Issuer): Authority {
  const make = (options: CertificateOptions) => {
    const keys = keyPair(options);
    return { cert: assemble(options, keys.publicKey, issuer), key: keys.privateKey };
  };
  return {
    cert,
    key: pem(issuer.key),
    issue: (options) => {
      const made = make(options);
      return { cert: made.cert, key: pem(made.key) };
    },
    delegate: (options) => {
      const made = make({ isAuthority: true, ...options });
      return authority(made.cert, { name: options.name, key: made.key });
    },
  };
}

function keyPair({ rsaBits, key }: Pick<CertificateOptions, 'rsaBits' | 'key'>) {
  if (key !== undefined)
    return { privateKey: createPrivateKey(key), publicKey: createPublicKey(key) };
  return rsaBits === undefined
    ? generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    : generateKeyPairSync('rsa', { modulusLength: rsaBits });
}

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();

const day = 86_400_000;

/** ECDSA with the named digest; every issuer here has an EC key. */
const signatureAlgorithms = { sha256: '1.2.840.10045.4.3.2', sha1: '1.2.840.10045.4.1' };

function assemble(options: CertificateOptions, publicKey: KeyObject, issuer: Issuer): string {
  const { validFrom = new Date(Date.now() - 2 * day), validUntil = new Date(Date.now() + day) } =
    options;
  const { digest = 'sha256' } = options;
  const algorithm = sequence(objectId(signatureAlgorithms[digest]));
  const body = sequence(
    der(0xa0, integer(2)),
    der(0x02, [1, ...randomBytes(8)]),
    algorithm,
    distinguishedName(issuer.name),
    sequence(time(validFrom), time(validUntil)),
    distinguishedName(options.name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensionsOf(options))),
  );
  const signature = createSign(digest).update(body).sign(issuer.key);
  const whole = sequence(body, algorithm, der(0x03, [0, ...signature]));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function extensionsOf(options: CertificateOptions): Buffer[] {
  const { hosts = [], isAuthority = hosts.length === 0, pathLength, purposes, keyUsage } = options;
  const constraints = [
    ...(isAuthority ? [boolean(true)] : []),
    ...(pathLength === undefined ? [] : [integer(pathLength)]),
  ];
  return [
    extension('2.5.29.19', sequence(...constraints)),
    ...(hosts.length === 0
      ? []
      : [extension('2.5.29.17', sequence(...hosts.map(alternativeName)))]),
    ...(purposes ? [extension('2.5.29.37', sequence(...purposes.map(objectId)))] : []),
    ...(keyUsage === undefined ? [] : [extension('2.5.29.15', der(0x03, [0, keyUsage]))]),
    ...(options.extensions ?? []),
  ];
}

export function extension(id: string, value: Uint8Array, { isCritical = false } = {}): Buffer {
  return sequence(objectId(id), ...(isCritical ? [boolean(true)] : []), octets(value));
}

const distinguishedName = (name: string) =>
  sequence(der(0x31, sequence(objectId('2.5.4.3'), utf8(name))));

function alternativeName(host: string): Buffer {
  const numbers = host.split('.').map(Number);
  const isAddress = numbers.length === 4 && numbers.every((number) => !Number.isNaN(number));
  return isAddress ? der(0x87, numbers) : der(0x82, Buffer.from(host));
}
