/**
 * Sends a request to a URL from an untrusted source, with protection against SSRF: it connects only to checked addresses,
 * follows no redirects, ignores the environment's proxy settings, and verifies certificates.
 */
import { createHash } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import {
  type BoundedRequestOptions,
  type BoundedResponse,
  boundedRequest,
} from './bounded-request.js';
import { createPacedAgents } from './paced-agents.js';
import type { HostAddress } from './resolve-host.js';
import { allowedAddresses, type TargetPolicy } from './target-address.js';

interface GuardedRequestOptions extends BoundedRequestOptions, TargetPolicy, Certificates {}

interface Certificates {
  /** Certificate authorities to trust in addition to the well-known ones, in PEM. */
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
}

export class HostNotFound extends Error {
  override readonly name = 'HostNotFound';
}

const agents = createPacedAgents({ keepAlive: false });

/** Throws TargetRefused for a target that the policy does not allow; other errors are those of `boundedRequest`. */
export async function guardedRequest(
  url: URL,
  options: GuardedRequestOptions,
): Promise<BoundedResponse> {
  const { signal } = options;
  const addresses = await allowedAddresses(url, options, signal);
  signal.throwIfAborted();
  if (addresses.length === 0) throw new HostNotFound(`The host ${url.hostname} has no address.`);
  const secureContext = secureContextOf(options);
  return boundedRequest(url, options, {
    agents,
    lookup: lookupAmong(addresses),
    rejectUnauthorized: true,
    ...(secureContext && { secureContext }),
  });
}

/** Resolves to the checked addresses only, so that DNS rebinding cannot redirect the connection. */
function lookupAmong(addresses: HostAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  };
}

// Parsing the well-known certificates takes milliseconds, so contexts are cached.
const contexts = new LRUCache<string, SecureContext>({ max: 100 });

/** Undefined for the default one. */
function secureContextOf({ ca, cert, key }: Certificates): SecureContext | undefined {
  if (ca === undefined && cert === undefined && key === undefined) return undefined;
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
  return secureContext;
}
