/** Lets an operation run only for callers that have the permission which the contract names for it. */
import type { Route } from '../../../generated/operations.js';
import { assertPermission } from '../../domain/caller.js';
import { callerOf, type Step } from '../transport/request.js';

export function requirePermission(route: Route): Step {
  return (req, _res, next) => {
    assertPermission(callerOf(req), route);
    next();
  };
}
