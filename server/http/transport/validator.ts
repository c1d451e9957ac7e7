/**
 * Validates requests with the functions that `npm run generate` compiles from the contract. A test holds them against
 * express-openapi-validator, which compiles the same schemas when it starts and takes several times as long for a request.
 */
import type { Route } from '../../../generated/operations.js';
import { queryParameters, requestChecks } from '../../../generated/request-checks.js';
import { invalid } from '../../domain/errors.js';
import { createQueryCheck } from './query-check.js';
import { validationFailed } from './request-errors.js';
import type { Step } from './request.js';
import { findUnstorable } from './storable.js';

/** The validation step of an operation. */
export function validateRequest({ operationId }: Route): Step {
  const checkQuery = createQueryCheck(queryParameters[operationId]);
  const checkParameters = requestChecks.parameters[operationId];
  const checkBody = requestChecks.body[operationId];
  // Collecting all errors of a large body can take seconds: an array that is too long is still compared pairwise.
  const checkLargeBody = requestChecks.largeBody[operationId];
  return (req, _res, next) => {
    const { headers, params } = req;
    const body: unknown = req.body;
    const [problem, ...others] = checkQuery(req.url);
    if (problem) throw invalid(problem, ...others);
    // Express parses it each time that it is asked for.
    const query = req.url.includes('?') ? { ...req.query } : {};
    const request = { query, headers, params, body };
    const check = req.hasLargeBody === true ? checkLargeBody : checkBody;
    const hasParameters = checkParameters(request);
    if (!check(request) || !hasParameters) {
      // Passed on, since to throw costs more than to validate.
      next(validationFailed([...(checkParameters.errors ?? []), ...(check.errors ?? [])]));
      return;
    }
    // 1e999 is an integer within any limit.
    const unstorable = findUnstorable(query);
    if (unstorable) throw invalid(unstorable);
    req.validQuery = query;
    next();
  };
}
