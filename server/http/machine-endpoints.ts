/** The endpoints beside the API: health, readiness, the contract and its documentation. */
import type { Express } from 'express';
import { contractJson, contractYaml, docsPage } from '../lib/project-files.js';
import { sendJson } from './transport/respond.js';
import { serveFile } from './transport/static-file.js';

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
  app.get('/openapi.json', serveFile(contractJson, 'application/json; charset=utf-8'));
  app.get('/openapi.yaml', serveFile(contractYaml, 'application/yaml; charset=utf-8'));
  app.get('/docs', serveFile(docsPage, 'text/html; charset=utf-8'));
}
