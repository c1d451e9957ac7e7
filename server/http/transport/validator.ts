/**
 * Validates requests with express-openapi-validator against the bundled contract.
 *
 * By default the validator searches the route of every request and compiles each schema on first use. Here both
 * happen at start-up, once per operation: requests pay for neither, and a contract that the validator cannot handle
 * fails before the service listens.
 */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Express, Response } from 'express';
import OpenApiValidator from 'express-openapi-validator';
import type { OpenApiRequestMetadata } from 'express-openapi-validator/dist/framework/types.js';
import type { Route } from '../../../generated/operations.js';
import { invalid } from '../../domain/errors.js';
import { createQueryCheck } from './query-check.js';
import { queryParametersOf, readRequestContract } from './request-contract.js';
import { findUnstorable } from './storable.js';
import type { Step, StepRequest } from './request.js';

declare module 'express-serve-static-core' {
  interface Request {
    openapi?: OpenApiRequestMetadata;
  }
}

/** Compiled once per process: the steps depend on the contract alone, and compiling them is most of what a start costs. */
let prepared: Promise<Map<Route, Step>> | undefined;

/** Returns the validation step of each operation. */
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
  const { findRoute, validateRequest: validateFully } = validatorSteps({ allErrors: true });
  // Compiles the schema of an operation with its first large body: most instances never see one.
  const { validateRequest: validateQuickly } = validatorSteps({ allErrors: false });
  const contract = readRequestContract();
  const steps = new Map<Route, Step>();
  for (const route of routes) {
    const { req, res } = sampleRequest(app, route);
    await run(findRoute, req, res);
    const metadata = req.openapi;
    if (!metadata) throw new Error(`The validator finds no ${route.operationId} in the contract.`);
    // The sample is not a valid request: that it is rejected shows that its schemas are compiled.
    await run(validateFully, req, res).catch((error: unknown) => {
      if (!(error instanceof OpenApiValidator.error.BadRequest)) throw error;
    });
    const checkQuery = createQueryCheck(queryParametersOf(contract, route));
    steps.set(route, (req, res, next) => {
      const [problem, ...others] = checkQuery(req.url);
      if (problem) throw invalid(problem, ...others);
      req.openapi = { ...metadata, pathParams: req.params };
      // Collecting all errors of a large body can take seconds: an array that is too long is still compared pairwise.
      const validate = req.hasLargeBody === true ? validateQuickly : validateFully;
      return validate(req, res, (error?: unknown) => {
        // The validator accepts 1e999 as an integer within any limit.
        const problem = error === undefined ? findUnstorable(req.query) : undefined;
        next(problem ? invalid(problem) : error);
      });
    });
  }
  return steps;
}

function validatorSteps({ allErrors }: { allErrors: boolean }): {
  findRoute: Step;
  validateRequest: Step;
} {
  const steps = OpenApiValidator.middleware({
    apiSpec: readRequestContract(),
    validateApiSpec: false,
    validateRequests: { allErrors },
    validateResponses: false,
    validateSecurity: false,
    ajvFormats: { mode: 'full' },
    fileUploader: false,
  });
  const findStep = (name: string): Step => {
    const step = steps.find((candidate) => candidate.name === name);
    if (!step) throw new Error(`express-openapi-validator has no ${name}; check its version.`);
    return (req, res, next) => {
      step(req, res, next);
    };
  };
  return {
    findRoute: findStep('metadataMiddleware'),
    validateRequest: findStep('requestMiddleware'),
  };
}

/** A request of the operation that did not come over the network, to warm up the validator. */
function sampleRequest(
  app: Express,
  { method, path, hasBody }: Route,
): { req: StepRequest; res: Response } {
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
  return { req, res };
}

function run(step: Step, req: StepRequest, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    void step(req, res, (error?: unknown) => {
      if (error === undefined) resolve();
      else if (error instanceof Error) reject(error);
      else reject(new Error('The validator failed.', { cause: error }));
    });
  });
}
