/** Parses what Node does not expose of a certificate: its extensions and its signature algorithm. */
import type { X509Certificate } from 'node:crypto';
import { derTag, type DerValue, dottedId, readDer } from '../../lib/der.js';

export interface Extension {
  isCritical: boolean;
  value: Uint8Array;
}

export interface CertificateDetails {
  signatureAlgorithm: string;
  /** By object identifier. */
  extensions: ReadonlyMap<string, Extension>;
}

export const extensionId = {
  keyUsage: '2.5.29.15',
  alternativeNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  extendedKeyUsage: '2.5.29.37',
} as const;

const extensionsTag = 0xa3;

export function parseDetails({ raw }: X509Certificate): CertificateDetails {
  const [certificate] = readDer(raw);
  const [tbsCertificate, algorithm] = readDer(certificate?.content ?? new Uint8Array());
  const fields = readDer(tbsCertificate?.content ?? new Uint8Array());
  const wrapper = fields.find(({ tag }) => tag === extensionsTag);
  const [list] = readDer(wrapper?.content ?? new Uint8Array());
  return {
    signatureAlgorithm: firstId(algorithm),
    extensions: new Map(readDer(list?.content ?? new Uint8Array()).map(extensionOf)),
  };
}

function firstId(sequence: DerValue | undefined): string {
  const [id] = readDer(sequence?.content ?? new Uint8Array());
  return id ? dottedId(id) : '';
}

function extensionOf(sequence: DerValue): [string, Extension] {
  const parts = readDer(sequence.content);
  const critical = parts.find(({ tag }) => tag === derTag.boolean);
  const value = parts.find(({ tag }) => tag === derTag.octetString);
  return [
    firstId(sequence),
    { isCritical: critical?.content[0] === 0xff, value: value?.content ?? new Uint8Array() },
  ];
}

/** How many intermediate authorities may follow this one; Infinity if it has no constraint. */
export function pathLengthConstraint({ extensions }: CertificateDetails): number {
  const constraints = extensions.get(extensionId.basicConstraints);
  if (!constraints) return Infinity;
  const [sequence] = readDer(constraints.value);
  const length = readDer(sequence?.content ?? new Uint8Array()).find(
    ({ tag }) => tag === derTag.integer,
  );
  return length ? length.content.reduce((sum, byte) => sum * 256 + byte, 0) : Infinity;
}

/** As object identifiers; undefined if the extension is missing, which allows every usage. */
export function extendedKeyUsages({ extensions }: CertificateDetails): string[] | undefined {
  const usages = extensions.get(extensionId.extendedKeyUsage);
  if (!usages) return undefined;
  const [sequence] = readDer(usages.value);
  return readDer(sequence?.content ?? new Uint8Array()).map(dottedId);
}

const digitalSignature = 0x80;
const keyAgreement = 0x08;

/** Whether the key usage allows authentication; a certificate without that extension allows every usage. */
export function allowsAuthentication({ extensions }: CertificateDetails): boolean {
  const usage = extensions.get(extensionId.keyUsage);
  if (!usage) return true;
  const [bits] = readDer(usage.value);
  // The first byte of a bit string is the number of unused bits in the last byte.
  return ((bits?.content[1] ?? 0) & (digitalSignature | keyAgreement)) !== 0;
}
