/**
 * Sends a request to a URL from an untrusted source, with protection against SSRF: it connects only to checked addresses,
 * follows no redirects, ignores the environment's proxy settings, and verifies certificates.
 */
import { createHash } from 'node:crypto';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { HostAddress } from './resolve-host.js';
import { allowedAddresses, type TargetPolicy } from './target-address.js';

interface GuardedRequestOptions extends TargetPolicy {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal: AbortSignal;
  /** Certificate authorities to trust in addition to the well-known ones, in PEM. */
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
}

export interface GuardedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** The raw body, not decompressed. A caller that does not read it to the end must destroy it. */
  body: Readable;
}

export class HostNotFound extends Error {
  override readonly name = 'HostNotFound';
}

// Not the global agents: environment variables can make those use a proxy.
const plainAgent = new http.Agent({ keepAlive: false });
const secureAgent = new https.Agent({ keepAlive: false });

/** Throws TargetRefused for a target that the policy does not allow; other errors come from the network. */
export async function guardedRequest(
  url: URL,
  options: GuardedRequestOptions,
): Promise<GuardedResponse> {
  const { method = 'GET', headers = {}, body, signal } = options;
  const addresses = await allowedAddresses(url, options, signal);
  signal.throwIfAborted();
  if (addresses.length === 0) throw new HostNotFound(`The host ${url.hostname} has no address.`);
  const common = {
    method,
    headers: {
      'accept-encoding': 'identity',
      ...headers,
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    },
    signal,
    lookup: lookupAmong(addresses),
  };
  const request =
    url.protocol === 'https:'
      ? https.request(url, { ...common, ...tlsOptions(options), agent: secureAgent })
      : http.request(url, { ...common, agent: plainAgent });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    // A response that switches protocols closes the connection without either event.
    request.once('close', () => {
      reject(new Error('The connection closed before a response was received.'));
    });
    request.end(body);
  });
  return { status: response.statusCode ?? 0, headers: response.headers, body: response };
}

/** Resolves to the checked addresses only, so that DNS rebinding cannot redirect the connection. */
function lookupAmong(addresses: HostAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  };
}

interface SecureContextOptions {
  rejectUnauthorized: true;
  secureContext?: SecureContext;
}

// Parsing the well-known certificates takes milliseconds, so contexts are cached.
const contexts = new LRUCache<string, SecureContext>({ max: 100 });

function tlsOptions({ ca, cert, key }: GuardedRequestOptions): SecureContextOptions {
  const verified = { rejectUnauthorized: true } as const;
  if (ca === undefined && cert === undefined && key === undefined) return verified;
  const name = createHash('sha256')
    .update(JSON.stringify([ca, cert, key]))
    .digest('base64');
  const secureContext =
    contexts.get(name) ??
    createSecureContext({
      ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    });
  contexts.set(name, secureContext);
  return { ...verified, secureContext };
}
