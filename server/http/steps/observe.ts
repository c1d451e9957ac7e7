/** Reports each request, from its arrival to the end of its response, for metrics and traces. */
import type { RequestHandler } from 'express';
import type { Route } from '../../../generated/operations.js';
import type { Telemetry } from '../../lib/telemetry.js';
import type { Step } from '../transport/request.js';

export function observeRequests(telemetry: Telemetry): RequestHandler {
  return (req, res, next) => {
    const { requestId: id, method, path, secure: isSecure, headers } = req;
    const scope = telemetry.request({ id, method, path, isSecure, headers });
    req.trace = scope.trace;
    res.once('close', () => {
      scope.end({
        operation: req.operation,
        status: res.statusCode,
        isAborted: !res.writableFinished,
        accountId: req.caller?.accountId,
      });
    });
    next();
  };
}

/** The first step of each operation. */
export function nameOperation(route: Route): Step {
  return (req, _res, next) => {
    req.operation = route;
    next();
  };
}
