/** Reports each request, from its arrival to the end of its response, to metrics and traces. Probes are not reported. */
import type { RequestHandler } from 'express';
import type { Route } from '../../../generated/operations.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import { isProbe } from '../system-endpoints.js';
import type { Step } from '../transport/request.js';

export function observeRequests(telemetry: Telemetry): RequestHandler {
  return (req, res, next) => {
    if (isProbe(req.path)) {
      next();
      return;
    }
    const scope = telemetry.request(req);
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

/** Tells telemetry which operation the request is for. */
export function nameOperation(route: Route): Step {
  return (req, _res, next) => {
    req.operation = route;
    next();
  };
}
