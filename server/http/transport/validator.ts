/**
 * Validates requests with express-openapi-validator against the bundled contract.
 *
 * Left to itself, the validator looks for the route of each request anew and compiles a schema at its first use. Here
 * it does both at boot, once per operation: requests pay for neither, and a contract that it cannot work with stops
 * the service before it listens.
 */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Express, Response } from 'express';
import OpenApiValidator from 'express-openapi-validator';
import type { OpenApiRequestMetadata } from 'express-openapi-validator/dist/framework/types.js';
import type { Route } from '../../../generated/operations.js';
import { invalid } from '../../domain/errors.js';
import { readRequestContract } from './request-contract.js';
import { findUnstorable } from './storable.js';
import type { Step, StepRequest } from './request.js';

declare module 'express-serve-static-core' {
  interface Request {
    openapi?: OpenApiRequestMetadata;
  }
}

/** The steps of this process: they depend on the contract alone, and compiling them is most of what a start costs. */
let prepared: Promise<Map<Route, Step>> | undefined;

/** Returns, for each operation, the step that validates its requests. */
export async function prepareValidation(
  app: Express,
  routes: Route[],
): Promise<(route: Route) => Step> {
  prepared ??= compileSteps(app, routes);
  const steps = await prepared;
  return (route) => {
    const step = steps.get(route);
    if (!step) throw new Error(`No validation was prepared for ${route.operationId}.`);
    return step;
  };
}

async function compileSteps(app: Express, routes: Route[]): Promise<Map<Route, Step>> {
  const { findRoute, validateRequest } = validatorSteps();
  const steps = new Map<Route, Step>();
  for (const route of routes) {
    const [req, res] = rehearsal(app, route);
    await run(findRoute, req, res);
    const found = req.openapi;
    if (!found) throw new Error(`The validator finds no ${route.operationId} in the contract.`);
    // The rehearsal's parameters are no real ones. That they are refused shows that their schemas are compiled.
    await run(validateRequest, req, res).catch((fault: unknown) => {
      if (!(fault instanceof OpenApiValidator.error.BadRequest)) throw fault;
    });
    steps.set(route, (req, res, next) => {
      req.openapi = { ...found, pathParams: req.params };
      return validateRequest(req, res, (fault?: unknown) => {
        // The validator takes 1e999 for an integer within any limits.
        const problem = fault === undefined ? findUnstorable(req.query) : undefined;
        next(problem ? invalid(problem) : fault);
      });
    });
  }
  return steps;
}

function validatorSteps(): { findRoute: Step; validateRequest: Step } {
  const steps = OpenApiValidator.middleware({
    apiSpec: readRequestContract(),
    validateApiSpec: false,
    validateRequests: { allErrors: true },
    validateResponses: false,
    validateSecurity: false,
    ajvFormats: { mode: 'full' },
    fileUploader: false,
  });
  const named = (name: string): Step => {
    const step = steps.find((candidate) => candidate.name === name);
    if (!step) throw new Error(`express-openapi-validator has no ${name}; check its version.`);
    return (req, res, next) => {
      step(req, res, next);
    };
  };
  return { findRoute: named('metadataMiddleware'), validateRequest: named('requestMiddleware') };
}

/** A request that never came over a wire, to walk through the validator with. */
function rehearsal(app: Express, { method, path, hasBody }: Route): [StepRequest, Response] {
  const url = path.replaceAll(/\{\w+\}/g, '0');
  const message = Object.assign(new IncomingMessage(new Socket()), {
    method: method.toUpperCase(),
    url,
    originalUrl: url,
    baseUrl: '',
    params: {},
    body: {},
    headers: hasBody ? { 'content-type': 'application/json' } : {},
  });
  const req = Object.setPrototypeOf(message, app.request) as StepRequest;
  const res = Object.setPrototypeOf(new ServerResponse(req), app.response) as Response;
  return [req, res];
}

function run(step: Step, req: StepRequest, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    void step(req, res, (fault?: unknown) => {
      if (fault === undefined) resolve();
      else
        reject(
          fault instanceof Error ? fault : new Error('The validator failed.', { cause: fault }),
        );
    });
  });
}
