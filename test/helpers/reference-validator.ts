/** express-openapi-validator by the contract, to compare the compiled checks with. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express, { type Request, type RequestHandler, type Response } from 'express';
import OpenApiValidator from 'express-openapi-validator';
import type { Route } from '../../generated/operations.js';
import { fieldName } from '../../server/http/transport/field-name.js';
import { readRequestContract } from './request-contract.js';

export interface ExampleOfRequest {
  params: Record<string, string>;
  /** Without the question mark; empty: there is none. */
  query: string;
  headers: Record<string, string>;
  body: unknown;
}

export type Verdict =
  | { accepted: { query: unknown; body: unknown } }
  /** The fields that something is wrong with. */
  | { rejected: string[] };

const app = express();
const steps = OpenApiValidator.middleware({
  apiSpec: readRequestContract(),
  validateApiSpec: false,
  validateRequests: { allErrors: true },
  validateResponses: false,
  validateSecurity: false,
  ajvFormats: { mode: 'full' },
  fileUploader: false,
});

/** A request that did not come over the network. */
export function requestOf(
  { method, path, hasBody }: Route,
  { params, query, headers, body }: ExampleOfRequest,
): { req: Request<Record<string, string>>; res: Response } {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const url = query === '' ? address : `${address}?${query}`;
  const message = Object.assign(new IncomingMessage(new Socket()), {
    method: method.toUpperCase(),
    url,
    originalUrl: url,
    baseUrl: '',
    params: { ...params },
    body: structuredClone(body),
    headers: { ...headers, ...(hasBody ? { 'content-type': 'application/json' } : {}) },
  });
  const req = Object.setPrototypeOf(message, app.request) as Request<Record<string, string>>;
  const res = Object.setPrototypeOf(new ServerResponse(req), app.response) as Response;
  return { req, res };
}

export async function referenceVerdict(route: Route, request: ExampleOfRequest): Promise<Verdict> {
  const { req, res } = requestOf(route, request);
  try {
    for (const name of ['metadataMiddleware', 'requestMiddleware']) await run(name, req, res);
    return { accepted: { query: { ...req.query }, body: req.body as unknown } };
  } catch (error) {
    if (!(error instanceof OpenApiValidator.error.BadRequest)) throw error;
    const fields = error.errors.map(({ path }) => {
      const [, place = '', ...keys] = path.split('/');
      const names = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
      // It forgets the place of a field whose name is empty.
      return fieldName(names, place || 'body').replaceAll('/', '.');
    });
    return { rejected: [...new Set(fields)].toSorted() };
  }
}

async function run(
  name: string,
  req: Request<Record<string, string>>,
  res: Response,
): Promise<void> {
  const step = steps.find((candidate) => candidate.name === name) as RequestHandler | undefined;
  if (!step) throw new Error(`express-openapi-validator has no ${name}; check its version.`);
  await new Promise<void>((resolve, reject) => {
    void step(req as Request, res, (error?: unknown) => {
      if (error === undefined) resolve();
      else reject(error instanceof Error ? error : new Error('It failed.', { cause: error }));
    });
  });
}
