/** Reads the client's certificate chain from the TLS connection, or from the header of a proxy that terminates TLS. */
import { X509Certificate } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import type { Networks } from '../../lib/net/networks.js';
import { readCertificates } from '../../lib/crypto/pem.js';
import { isFromProxy } from './client-address.js';
import type { StepRequest } from './request.js';

export interface CertificateSource {
  proxies: Networks;
  /** The header in which proxies forward the certificate; undefined if they forward none. */
  header: string | undefined;
}

/** Leaf certificate first. Behind a proxy only the header counts, since the connection's certificate is the proxy's own. */
export function clientCertificates(
  req: StepRequest,
  { proxies, header }: CertificateSource,
): readonly X509Certificate[] {
  if (isFromProxy(req, proxies)) return header === undefined ? [] : fromHeader(req, header);
  return req.socket instanceof TLSSocket ? fromConnection(req.socket) : [];
}

/** Cached because parsing a chain is slow and a keep-alive connection sends many requests. */
const chainCache = new WeakMap<TLSSocket, readonly X509Certificate[]>();

function fromConnection(socket: TLSSocket): readonly X509Certificate[] {
  const cached = chainCache.get(socket);
  if (cached) return cached;
  const chain = chainOf(socket.getPeerX509Certificate());
  chainCache.set(socket, chain);
  return chain;
}

/** Node links each certificate to the next one that the client sent. */
function chainOf(leaf: X509Certificate | undefined): X509Certificate[] {
  const chain: X509Certificate[] = [];
  for (let next = leaf; next && !chain.includes(next); next = next.issuerCertificate) {
    chain.push(next);
  }
  return chain;
}

function fromHeader(req: StepRequest, header: string): X509Certificate[] {
  const values = req.headersDistinct[header.toLowerCase()] ?? [];
  // Two values mean that the proxy did not replace the client's own header, so neither can be trusted.
  const [value, duplicate] = values;
  if (value === undefined || duplicate !== undefined) return [];
  try {
    return parseHeader(value);
  } catch {
    return [];
  }
}

/** The formats that proxies use: percent-encoded PEM (nginx), Envoy's `Cert="…"`, base64 of DER (HAProxy, RFC 9440). */
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

/** Every proxy on the way adds an element; the last one comes from the peer of this connection. */
function parseEnvoyHeader(value: string): X509Certificate[] {
  const element = value.match(/(?:"[^"]*"|[^,"])+/g)?.at(-1) ?? '';
  const fields = [...element.matchAll(/(?:^|;)\s*(Cert|Chain)="([^"]*)"/gi)];
  return (
    fields
      // `Cert` holds the leaf, so it must come before `Chain`, in whichever order they were sent.
      .toSorted(([, one = ''], [, other = '']) => one.length - other.length)
      .flatMap(([, , pem = '']) => readCertificates(decodeURIComponent(pem)))
  );
}
