/** Parses PEM certificates. */
import { X509Certificate } from 'node:crypto';

/** Returns the certificates in order; throws if one cannot be parsed. */
export function readCertificates(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}
