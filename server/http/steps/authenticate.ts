/** Identifies the caller by the bearer credential in the Authorization header. */
import type { Caller } from '../../accounts/caller.js';
import { missingCredential, rateLimited, unauthorized } from '../../contract/errors.js';
import type { FailedAuthenticationLimit } from './failed-authentication.js';
import type { Networks } from '../../lib/net/networks.js';
import { agentReferenceOf } from './agent-path.js';
import { clientAddress } from '../transport/client-address.js';
import type { Step } from '../transport/request.js';

/** Resolves to the caller of an API key or token, or to undefined if it is invalid. A token is valid for one agent only. */
export type Identify = (
  credential: string,
  agent: string | undefined,
  /** The client's address. */
  address: string | undefined,
) => Promise<Caller | undefined>;

export function authenticate(
  identify: Identify,
  failures: FailedAuthenticationLimit,
  proxies: Networks,
): Step {
  return async (req, _res, next) => {
    const credential = /^Bearer +([^ ]+) *$/i.exec(req.headers.authorization ?? '')?.[1];
    const address = clientAddress(req, proxies);
    const caller =
      credential === undefined
        ? undefined
        : await identify(credential, agentReferenceOf(req), address);
    if (!caller) {
      // Only failures are limited: a valid credential works even if its address is blocked.
      const retryAfter = failures.retryAfter(address);
      if (retryAfter > 0) throw rateLimited(retryAfter);
      failures.record(address);
      throw credential === undefined ? missingCredential() : unauthorized();
    }
    req.caller = caller;
    if (caller.keyId === null && credential !== undefined) req.token = credential;
    next();
  };
}
