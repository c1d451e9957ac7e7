/** Leads requests to the operations of the contract, and responds to unknown paths and methods. */
import type { RequestHandler, Response } from 'express';
import { operations, type Route } from '../../generated/operations.js';
import { notFound, ServiceError } from '../domain/errors.js';
import { createPathTree } from '../lib/path-tree.js';
import { invalidAddress } from './transport/request-errors.js';
import type { Step, StepRequest } from './transport/request.js';

export const routes: Route[] = Object.values(operations);

/** The first segment of every path of the API. */
export const apiPrefix = `/${operations.listAgents.path.split('/')[1] ?? ''}`;

/**
 * Runs the steps of the operation that has the method and path of a request. Express itself would try the pattern of each
 * route until one fits, and after an error those of all others, which takes as long as several steps.
 */
export function dispatchOperations(stepsOf: (route: Route) => Step[]): Step {
  const paths = createPathTree<Map<string, Step>>();
  for (const route of routes) {
    const steps = inOrder(stepsOf(route));
    const byMethod = paths.add(route.path, () => new Map());
    byMethod.set(route.method.toUpperCase(), steps);
    // HEAD is served wherever there is a GET.
    if (route.method === 'get') byMethod.set('HEAD', steps);
  }
  return (req, res, next) => {
    const found = paths.find(req.path);
    if (!found) {
      next();
      return;
    }
    req.params = decoded(found.parameters);
    const steps = found.value.get(req.method);
    if (steps) steps(req, res, next);
    else rejectMethod([...found.value.keys()], req, res);
  };
}

function decoded(parameters: Record<string, string>): Record<string, string> {
  const values = Object.entries(parameters).map(([name, text]) => [name, decodedText(text)]);
  return Object.fromEntries(values) as Record<string, string>;
}

function decodedText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidAddress();
  }
}

/** As Express runs several handlers of a route, without a look at the method and the path before each of them. */
export function inOrder(steps: readonly Step[]): Step {
  return (req, res, next) => {
    const runFrom = (index: number) => {
      const step = steps[index];
      if (!step) {
        next();
        return;
      }
      const goOn = (error?: unknown) => {
        if (error === undefined) runFrom(index + 1);
        else next(error);
      };
      try {
        const running: unknown = step(req, res, goOn);
        if (running instanceof Promise) running.catch(next);
      } catch (error) {
        next(error);
      }
    };
    runFrom(0);
  };
}

function rejectMethod(methods: string[], req: StepRequest, res: Response): void {
  const allow = [...methods, 'OPTIONS'].join(', ');
  res.setHeader('Allow', allow);
  if (req.method === 'OPTIONS') {
    res.writeHead(204).end();
    return;
  }
  throw new ServiceError(
    'method_not_allowed',
    `This path has no ${req.method}. Allowed are ${allow}.`,
  );
}

/** The last step: no route matched. */
export const handleUnknownPath: RequestHandler = (req) => {
  throw req.path.startsWith(`${apiPrefix}/`)
    ? notFound(`operation at ${req.path.slice(0, 200)}`)
    : new ServiceError(
        'not_found',
        `There is nothing here. The paths of the API begin with ${apiPrefix}.`,
      );
};
