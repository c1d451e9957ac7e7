/** Finds out who makes a request from the bearer in its Authorization header. */
import type { Caller } from '../../domain/caller.js';
import { unauthorized } from '../../domain/errors.js';
import type { FailedAuthenticationLimit } from './failed-authentication.js';
import { agentOf } from './agent-path.js';
import type { Step } from '../transport/request.js';

/** Who a bearer belongs to; undefined for nobody. A token is good only for the agent that the request is about. */
export type Identify = (bearer: string, agent: string | undefined) => Promise<Caller | undefined>;

export function authenticate(identify: Identify, failures: FailedAuthenticationLimit): Step {
  return async (req, _res, next) => {
    const bearer = /^Bearer +([^ ]+) *$/i.exec(req.headers.authorization ?? '')?.[1];
    const caller = bearer === undefined ? undefined : await identify(bearer, agentOf(req));
    if (!caller) {
      failures.count(req.ip);
      throw unauthorized();
    }
    req.caller = caller;
    next();
  };
}
