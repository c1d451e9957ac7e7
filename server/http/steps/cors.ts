/** Cross-origin access (CORS) for the origins that the operator allows. */
import { readFileSync } from 'node:fs';
import cors from 'cors';
import type { RequestHandler } from 'express';
import { contractJson } from '../../contract/project-files.js';

export function allowOrigins(origins: readonly string[]): RequestHandler {
  if (origins.length === 0) {
    return (_req, _res, next) => {
      next();
    };
  }
  const handleCors = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    exposedHeaders: documentedHeaders(),
    maxAge: 600,
  });
  return (req, res, next) => {
    const isPlainOptions =
      req.method === 'OPTIONS' && req.headers['access-control-request-method'] === undefined;
    if (isPlainOptions) next();
    else handleCors(req, res, next);
  };
}

/** The response headers of the contract: a browser lets a page read only those that are exposed. */
function documentedHeaders(): string[] {
  const contract = JSON.parse(readFileSync(contractJson, 'utf8')) as {
    components: { headers: Record<string, unknown> };
  };
  return Object.keys(contract.components.headers);
}
