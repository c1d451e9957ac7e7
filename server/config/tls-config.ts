/** Reads the TLS variables: the server's certificate files, and the header with client certificates behind a proxy. */
import type { Reader } from './environment.js';

export interface TlsConfig {
  certFile: string;
  keyFile: string;
}

export function clientCertHeader(read: Reader): string | undefined {
  const header = read.text('CLIENT_CERT_HEADER');
  if (header === undefined) return undefined;
  if (!/^[A-Za-z0-9-]+$/.test(header)) {
    read.problems.push(
      `CLIENT_CERT_HEADER must be the name of a header such as X-Client-Cert, not '${header}'.`,
    );
  }
  if (read.text('TRUST_PROXY') === undefined) {
    read.problems.push('CLIENT_CERT_HEADER only has an effect together with TRUST_PROXY.');
  }
  return header;
}

export function tlsConfig(read: Reader): TlsConfig | undefined {
  const certFile = read.text('TLS_CERT');
  const keyFile = read.text('TLS_KEY');
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  if (certFile !== undefined) read.problems.push('TLS_KEY is required with TLS_CERT.');
  if (keyFile !== undefined) read.problems.push('TLS_CERT is required with TLS_KEY.');
  return undefined;
}
