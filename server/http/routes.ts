/** Mounts every operation of the contract, and responds to unknown paths and methods. */
import type { Express, RequestHandler } from 'express';
import { operations, type Route } from '../../generated/operations.js';
import { notFound, ServiceError } from '../domain/errors.js';
import type { Step } from './transport/request.js';

export const routes: Route[] = Object.values(operations);

/** The first segment of every path of the API. */
export const apiPrefix = `/${operations.listAgents.path.split('/')[1] ?? ''}`;

/** Registers each operation under its method and path, with the steps of its pipeline. */
export function mountOperations(app: Express, stepsOf: (route: Route) => Step[]): void {
  for (const route of routes) {
    app[route.method](expressPath(route), inOrder(stepsOf(route)));
  }
  for (const [path, methods] of methodsByPath()) {
    app.all(path, rejectOtherMethods(methods));
  }
}

/** As Express runs several handlers of a route, but without a look at the method and the path before each of them. */
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

/** The contract writes `/agents/{agent_id}`, Express `/agents/:agent_id`. */
function expressPath({ path }: Route): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function methodsByPath(): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const route of routes) {
    const path = expressPath(route);
    // Express serves HEAD wherever there is a GET.
    const added = route.method === 'get' ? ['GET', 'HEAD'] : [route.method.toUpperCase()];
    methods.set(path, [...(methods.get(path) ?? []), ...added]);
  }
  return methods;
}

function rejectOtherMethods(methods: string[]): RequestHandler {
  const allow = [...methods, 'OPTIONS'].join(', ');
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

/** The last step: no route matched. */
export const handleUnknownPath: RequestHandler = (req) => {
  throw req.path.startsWith(`${apiPrefix}/`)
    ? notFound(`operation at ${req.path.slice(0, 200)}`)
    : new ServiceError(
        'not_found',
        `There is nothing here. The paths of the API begin with ${apiPrefix}.`,
      );
};
