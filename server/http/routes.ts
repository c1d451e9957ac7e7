/** Routes requests to the operations of the contract, and responds to unknown paths and methods. */
import { type RequestHandler, Router } from 'express';
import { operations, type Route } from '../../generated/operations.js';
import { apiPrefix } from '../contract/api-prefix.js';
import { notFound, ServiceError } from '../contract/errors.js';
import type { ErrorStep, Step } from './transport/request.js';

export const routes: Route[] = Object.values(operations);

/** Mounts each operation of the contract with the steps of its pipeline. */
export function mountOperations(stepsOf: (route: Route) => (Step | ErrorStep)[]): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const route of routes) router[route.method](patternOf(route), stepsOf(route));
  for (const route of routes) router.all(patternOf(route), rejectMethod(route));
  return router;
}

function patternOf({ path }: Route): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function rejectMethod({ path }: Route): Step {
  const methods = routes
    .filter((route) => route.path === path)
    // Express serves HEAD wherever there is a GET.
    .flatMap(({ method }) => (method === 'get' ? [method, 'head'] : method));
  const allow = [...methods, 'options'].join(', ').toUpperCase();
  return (req, res) => {
    res.setHeader('Allow', allow);
    if (req.method === 'OPTIONS') {
      res.writeHead(204).end();
      return;
    }
    throw new ServiceError(
      'method_not_allowed',
      `This path has no ${req.method}. Allowed are ${allow}.`,
    );
  };
}

/** The last handler, for requests that no route matched. */
export const handleUnknownPath: RequestHandler = (req) => {
  throw req.path.startsWith(`${apiPrefix}/`)
    ? notFound(`operation at ${req.path.slice(0, 200)}`)
    : new ServiceError(
        'not_found',
        `There is nothing here. The paths of the API begin with ${apiPrefix}.`,
      );
};
