/** Reads certificates in PEM. */
import { X509Certificate } from 'node:crypto';

/** The certificates of a text, in their order; throws if there is one that cannot be read. */
export function readCertificates(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}
