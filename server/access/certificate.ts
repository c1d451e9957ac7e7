/** Parses the parts of a certificate that Node does not expose: its signature algorithm and its extensions. */
import type { X509Certificate } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  KeyUsage,
  type KeyUsageType,
} from '@peculiar/asn1-x509';

export interface CertificateDetails {
  /** As an object identifier. */
  signatureAlgorithm: string;
  /** Maps the object identifier of each extension to whether it is critical. */
  extensions: ReadonlyMap<string, boolean>;
  /** How many intermediate authorities may follow this one; Infinity if it has no constraint. */
  pathLength: number;
  /** Undefined if the extension is missing, which allows every usage. */
  keyUsages: KeyUsageType[] | undefined;
  /** As object identifiers; undefined if the extension is missing, which allows every usage. */
  extendedKeyUsages: string[] | undefined;
}

/** Throws if the certificate is malformed. */
export function parseDetails({ raw }: X509Certificate): CertificateDetails {
  const { tbsCertificate, signatureAlgorithm } = AsnConvert.parse(raw, Certificate);
  const extensions = [...(tbsCertificate.extensions ?? [])];
  const values = new Map(extensions.map(({ extnID, extnValue }) => [extnID, extnValue]));
  // RFC 5280 allows each extension once; implementations would differ in which of two they apply.
  if (values.size < extensions.length) throw new Error('An extension occurs twice.');
  const parse = <Value>(id: string, type: new () => Value): Value | undefined => {
    const value = values.get(id);
    return value && AsnConvert.parse(value, type);
  };
  const extendedKeyUsages = parse(id_ce_extKeyUsage, ExtendedKeyUsage);
  return {
    signatureAlgorithm: signatureAlgorithm.algorithm,
    extensions: new Map(extensions.map(({ extnID, critical }) => [extnID, critical])),
    pathLength: parse(id_ce_basicConstraints, BasicConstraints)?.pathLenConstraint ?? Infinity,
    keyUsages: parse(id_ce_keyUsage, KeyUsage)?.toJSON(),
    extendedKeyUsages: extendedKeyUsages && [...extendedKeyUsages],
  };
}
