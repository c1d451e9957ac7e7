/** Requires the permission that the contract names for an operation. */
import type { Route } from '../../../generated/operations.js';
import { assertPermission } from '../../accounts/caller.js';
import { callerOf, type Step } from '../transport/request.js';

export function requirePermission(route: Route): Step {
  return (req, _res, next) => {
    assertPermission(callerOf(req), route);
    next();
  };
}
