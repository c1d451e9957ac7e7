/** Lets pages of other origins call the API, where the operator allows it. */
import { readFileSync } from 'node:fs';
import cors from 'cors';
import type { RequestHandler } from 'express';
import { contractJson } from '../../lib/project-files.js';

export function allowOrigins(origins: readonly string[]): RequestHandler {
  if (origins.length === 0) {
    return (_req, _res, next) => {
      next();
    };
  }
  const answer = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    exposedHeaders: documentedHeaders(),
    maxAge: 600,
  });
  return (req, res, next) => {
    const isPlainOptions =
      req.method === 'OPTIONS' && req.headers['access-control-request-method'] === undefined;
    if (isPlainOptions) next();
    else answer(req, res, next);
  };
}

/** The headers that the contract puts on answers: a page may read only those that it is told of. */
function documentedHeaders(): string[] {
  const contract = JSON.parse(readFileSync(contractJson, 'utf8')) as {
    components: { headers: Record<string, unknown> };
  };
  return Object.keys(contract.components.headers);
}
