/** The certificates of the client: from the TLS connection, or from the header of a proxy that ended it. */
import { X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import type { Networks } from '../../lib/networks.js';
import { readCertificates } from '../../lib/pem.js';
import { isFromProxy } from './client-address.js';
import type { StepRequest } from './request.js';

export interface CertificateSource {
  proxies: Networks;
  /** The header in which proxies pass the certificate on; undefined: none of them does. */
  header: string | undefined;
}

/**
 * The client's own certificate first. Behind a proxy the connection's certificate is the proxy's, which says nothing of
 * the client: there only the header counts.
 */
export function clientCertificates(
  req: StepRequest,
  { proxies, header }: CertificateSource,
): readonly X509Certificate[] {
  if (isFromProxy(req, proxies)) return header === undefined ? [] : fromHeader(req, header);
  return req.socket instanceof TLSSocket ? fromConnection(req.socket) : [];
}

const chains = new WeakMap<TLSSocket, readonly X509Certificate[]>();

function fromConnection(socket: TLSSocket): readonly X509Certificate[] {
  const known = chains.get(socket);
  if (known) return known;
  const chain = chainOf(socket.getPeerX509Certificate());
  chains.set(socket, chain);
  return chain;
}

/** Node hangs on each certificate the one that the client sent after it. */
function chainOf(own: X509Certificate | undefined): X509Certificate[] {
  const chain: X509Certificate[] = [];
  for (let next = own; next && !chain.includes(next); next = next.issuerCertificate) {
    chain.push(next);
  }
  return chain;
}

function fromHeader(req: StepRequest, header: string): X509Certificate[] {
  const values = req.headersDistinct[header.toLowerCase()] ?? [];
  // Twice means that the proxy left the client's own header standing: no telling which is which.
  const [value, another] = values;
  if (value === undefined || another !== undefined) return [];
  try {
    return parseHeader(value);
  } catch {
    return [];
  }
}

/** The forms that proxies use: percent-encoded PEM (nginx), Envoy's `Cert="…"`, base64 of DER (HAProxy, RFC 9440). */
function parseHeader(value: string): X509Certificate[] {
  if (/(^|[;,])\s*(By|Hash|Cert|Chain|Subject|URI|DNS)=/i.test(value))
    return parseEnvoyHeader(value);
  const text = decodeURIComponent(value);
  if (text.includes('-----BEGIN')) return readCertificates(text);
  return text.split(',').map((part) => {
    const base64 = part.trim().replace(/^:|:$/g, '');
    return new X509Certificate(Buffer.from(base64, 'base64'));
  });
}

/** One element for each proxy on the way; the last one is what our own peer saw. */
function parseEnvoyHeader(value: string): X509Certificate[] {
  const element = value.match(/(?:"[^"]*"|[^,"])+/g)?.at(-1) ?? '';
  const fields = [...element.matchAll(/(?:^|;)\s*(Cert|Chain)="([^"]*)"/gi)];
  return fields
    .toSorted(([, one = ''], [, other = '']) => one.length - other.length)
    .flatMap(([, , pem = '']) => readCertificates(decodeURIComponent(pem)));
}
