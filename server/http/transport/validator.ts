/**
 * Validates requests with express-openapi-validator against the bundled contract.
 *
 * By default, the validator looks up the route of every request, and compiles the schemas of an operation when its
 * first request arrives. Here both happen once for each operation when the service starts: requests pay for neither, and
 * the service does not start with a contract that the validator cannot handle.
 */
import { readFileSync } from 'node:fs';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express, { type Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type {
  OpenAPIV3,
  OpenApiRequestMetadata,
} from 'express-openapi-validator/dist/framework/types.js';
import type { FieldProblem } from '../../../generated/api.js';
import { operations, type Route } from '../../../generated/operations.js';
import { invalid } from '../../contract/errors.js';
import { contractJson } from '../../contract/project-files.js';
import { fieldName } from './field-name.js';
import type { Step, StepRequest } from './request.js';
import { findUnstorable } from './storable.js';

declare module 'express-serve-static-core' {
  interface Request {
    /** Tells the validator which operation of the contract the request is for. */
    openapi?: OpenApiRequestMetadata;
  }
}

type Contract = OpenAPIV3.DocumentV3_1;
/** The validation step of an operation. */
export type ValidateRequest = (route: Route) => Step;

let prepared: Promise<ValidateRequest> | undefined;

/** Compiled once per process, since the steps depend only on the contract. */
export function prepareValidation(): Promise<ValidateRequest> {
  return (prepared ??= compileValidation(readContract()));
}

export function readContract(): Contract {
  return JSON.parse(readFileSync(contractJson, 'utf8')) as Contract;
}

export async function compileValidation(contract: Contract): Promise<ValidateRequest> {
  const requests = requestsOf(contract);
  const failFast = createValidator(requests, { allErrors: false });
  // For small bodies only: in a large one, Ajv could compare the items of an overlong array pairwise. Created when a request is first
  // rejected, since creating it takes 0.2 s.
  let reportAll: Validator | undefined;
  const steps = new Map<string, Step>();
  for (const route of Object.values(operations)) {
    const metadata = await prime(failFast, route);
    const run = (validator: Validator, req: StepRequest, res: Response, done: Done) => {
      req.openapi = { ...metadata, pathParams: req.params };
      validator.validateRequest(req, res, done);
    };
    steps.set(route.operationId, (req, res, next) => {
      const sentQuery = req.query;
      const queryProblem = findUndecodable(req.url) ?? findBrackets(sentQuery);
      if (queryProblem) throw invalid(queryProblem);
      run(failFast, req, res, (error) => {
        if (error !== undefined) {
          if (req.hasLargeBody) next(error);
          else {
            reportAll ??= createValidator(requests, { allErrors: true });
            run(reportAll, req, res, (all) => {
              // The second validator may find nothing, since it sees values that the first has converted.
              next(all ?? error);
            });
          }
          return;
        }
        const problem = findUnstorable(req.query) ?? findConverted(sentQuery, req.query);
        next(problem && invalid(problem));
      });
    });
  }
  return ({ operationId }) => {
    const step = steps.get(operationId);
    if (!step) throw new Error(`No validation was prepared for ${operationId}.`);
    return step;
  };
}

type Done = (error?: unknown) => void;
type Middleware = (req: StepRequest, res: Response, next: Done) => void;

interface Validator {
  reportLoadError: Middleware;
  findRoute: Middleware;
  validateRequest: Middleware;
}

function createValidator(contract: Contract, { allErrors }: { allErrors: boolean }): Validator {
  const middlewares = OpenApiValidator.middleware({
    apiSpec: contract,
    // `npm run generate` has linted the contract.
    validateApiSpec: false,
    validateRequests: { allErrors },
    validateResponses: false,
    validateSecurity: false,
    ajvFormats: { mode: 'full' },
    fileUploader: false,
  });
  const find = (name: string): Middleware => {
    const middleware = middlewares.find((candidate) => candidate.name === name);
    if (!middleware) throw new Error(`express-openapi-validator has no ${name}.`);
    return (req, res, next) => {
      middleware(req, res, next);
    };
  };
  return {
    reportLoadError: find('pathParamsMiddleware'),
    findRoute: find('metadataMiddleware'),
    validateRequest: find('requestMiddleware'),
  };
}

/** The paths of the contract without responses and references, which compile faster. */
function requestsOf(contract: Contract): Contract {
  const paths = structuredClone(contract.paths ?? {});
  for (const { method, path } of Object.values(operations)) {
    const operation = paths[path]?.[method];
    if (operation) Object.assign(operation, { responses: {}, callbacks: {} });
  }
  const inlined = inline(paths, contract) as typeof paths;
  return { ...contract, webhooks: {}, paths: inlined, components: {} };
}

/** Replaces each reference by what it refers to. Keywords beside a reference take precedence. */
function inline(value: unknown, contract: Contract, parents: readonly string[] = []): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item: unknown) => inline(item, contract, parents));
  }
  const { $ref: reference, ...keywords } = value as Record<string, unknown>;
  const own = Object.fromEntries(
    Object.entries(keywords).map(([name, inner]) => [name, inline(inner, contract, parents)]),
  );
  if (typeof reference !== 'string') return own;
  if (parents.includes(reference)) {
    throw new Error(`A request's schema must not be recursive, as ${reference} is.`);
  }
  const target = reference
    .split('/')
    .slice(1)
    .reduce<unknown>((node, name) => Reflect.get(Object(node) as object, name), contract);
  if (target === undefined) throw new Error(`The contract has no ${reference}.`);
  return { ...Object(inline(target, contract, [...parents, reference])), ...own };
}

/** Makes the validator find the operation and compile its schemas, with a request that did not come over the network. */
async function prime(validator: Validator, route: Route): Promise<OpenApiRequestMetadata> {
  const { operationId, method, path, hasBody } = route;
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
  const app = express();
  const req = Object.setPrototypeOf(message, app.request) as StepRequest;
  const res = Object.setPrototypeOf(new ServerResponse(req), app.response) as Response;
  const run = (middleware: Middleware) =>
    new Promise<unknown>((resolve) => {
      middleware(req, res, resolve);
    });
  const failure =
    (await run(validator.reportLoadError)) ??
    (await run(validator.findRoute)) ??
    (await run(validator.validateRequest));
  // A BadRequest shows that the schemas are compiled.
  const isCompiled = failure === undefined || failure instanceof OpenApiValidator.error.BadRequest;
  if (isCompiled && req.openapi) return req.openapi;
  const reason = failure instanceof Error ? failure.message : 'it has no such operation';
  throw new Error(`The contract of ${operationId} cannot be compiled: ${reason}`, {
    cause: failure,
  });
}

/** Express would silently replace invalid characters. */
function findUndecodable(url: string): FieldProblem | undefined {
  const pairs = url.split(/[?&]/).slice(1);
  const broken = pairs.find((pair) => decode(pair) === undefined);
  if (broken === undefined) return undefined;
  const name = decode(broken.split('=')[0] ?? '') ?? '';
  return { field: fieldName([name], 'query'), error: 'is not valid percent-encoded UTF-8' };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The contract has no names with brackets, and the validator takes 100 ms to turn a thousand of them into objects. */
function findBrackets(query: StepRequest['query']): FieldProblem | undefined {
  const name = Object.keys(query).find((candidate) => candidate.includes('['));
  if (name === undefined) return undefined;
  return { field: fieldName([name], 'query'), error: 'is not a known parameter' };
}

/** The validator converts every text that JavaScript accepts as a number, such as 0x10, 1e1 and " 5". */
function findConverted(
  sent: StepRequest['query'],
  validated: StepRequest['query'],
): FieldProblem | undefined {
  const converted = Object.entries(sent).find(
    ([name, text]) => typeof validated[name] === 'number' && String(validated[name]) !== text,
  );
  return converted && { field: converted[0], error: 'must be an integer' };
}
