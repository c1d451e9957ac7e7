/**
 * Sends a request to an address that somebody else chose: only to an address that was checked, with no redirects
 * followed, no proxy taken from the environment, and certificates verified.
 */
import { createHash } from 'node:crypto';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { createCache } from './cache.js';
import type { HostAddress } from './resolve-host.js';
import { allowedAddresses, type TargetPolicy } from './target-address.js';

export interface GuardedRequestOptions extends TargetPolicy {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal: AbortSignal;
  /** Certificates to trust besides the well-known ones, in PEM. */
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
}

export interface GuardedResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** As it arrives, compressed or not. Whoever does not read it to its end must destroy it. */
  body: Readable;
}

/** The host has no address. */
export class HostNotFound extends Error {
  override readonly name = 'HostNotFound';
}

// Agents of our own: the global ones can be told by the environment to use a proxy.
const plainAgent = new http.Agent({ keepAlive: false });
const secureAgent = new https.Agent({ keepAlive: false });

/** Throws TargetRefused for a target that the policy does not allow; other errors are the network's. */
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
      ? https.request(url, { ...common, ...(await tlsOptions(options)), agent: secureAgent })
      : http.request(url, { ...common, agent: plainAgent });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    // An answer that switches protocols closes the connection with neither of the two.
    request.once('close', () => {
      reject(new Error('The connection ended before an answer began.'));
    });
    request.end(body);
  });
  return { status: response.statusCode ?? 0, headers: response.headers, body: response };
}

/** Answers from what was checked, so that the name cannot point elsewhere by the time the connection is made. */
function lookupAmong(addresses: HostAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  };
}

// Reading the well-known certificates takes milliseconds, so contexts are kept.
const contexts = createCache<SecureContext>({ ttlMs: Infinity, maxEntries: 100 });

async function tlsOptions({ ca, cert, key }: GuardedRequestOptions): Promise<https.RequestOptions> {
  const verified = { rejectUnauthorized: true };
  if (ca === undefined && cert === undefined && key === undefined) return verified;
  const name = createHash('sha256')
    .update(JSON.stringify([ca, cert, key]))
    .digest('base64');
  const secureContext = await contexts.get(name, () =>
    Promise.resolve(
      createSecureContext({
        ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key }),
      }),
    ),
  );
  return { ...verified, ...(secureContext === undefined ? {} : { secureContext }) };
}
