/** The endpoints beside the API: health, readiness, the contract and its documentation. */
import { existsSync } from 'node:fs';
import type { Express, RequestHandler } from 'express';
import { ServiceError } from '../domain/errors.js';
import { contractJson, contractYaml, docsPage } from '../lib/project-files.js';
import { sendJson } from './transport/respond.js';

/** Resolves with the reason why the service is not ready, or undefined if it is. */
export type ReadinessCheck = () => Promise<string | undefined>;

export function mountMachineEndpoints(app: Express, readiness: ReadinessCheck): void {
  app.get('/healthz', (_req, res) => {
    sendJson(res, 200, { status: 'ok' });
  });
  app.get('/readyz', async (_req, res) => {
    const problem = await readiness();
    if (problem === undefined) sendJson(res, 200, { status: 'ready' });
    else sendJson(res, 503, { status: 'unavailable', problem }, { 'Retry-After': 1 });
  });
  app.get('/openapi.json', serve(contractJson, 'application/json; charset=utf-8'));
  app.get('/openapi.yaml', serve(contractYaml, 'application/yaml; charset=utf-8'));
  app.get('/docs', serve(docsPage, 'text/html; charset=utf-8'));
}

function serve(file: string, contentType: string): RequestHandler {
  return (_req, res) => {
    if (!existsSync(file)) {
      throw new ServiceError('not_found', 'The documentation is not built. Run: npm run docs');
    }
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.sendFile(file, { headers: { 'Content-Type': contentType }, dotfiles: 'allow' });
  };
}
