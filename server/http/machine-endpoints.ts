/** The endpoints beside the API: health, readiness, the contract, its documentation, and the console. */
import type { Express, RequestHandler } from 'express';
import { contractJson, contractYaml, docsPage } from '../lib/project-files.js';
import { mountConsole } from './console-page.js';
import { type MetricsEndpoint, mountMetrics } from './metrics-endpoint.js';
import { singleFilePolicy } from './transport/page-policy.js';
import { redirectTo } from './transport/redirect.js';
import { sendJson } from './transport/respond.js';
import { serveFile } from './transport/static-file.js';

/** Resolves with the reason why the service is not ready, or undefined if it is. */
export type ReadinessCheck = () => Promise<string | undefined>;

export interface MachineEndpoints {
  readiness: ReadinessCheck;
  hasConsole: boolean;
  /** Undefined: there are none on this port. */
  metrics: MetricsEndpoint | undefined;
}

export function mountMachineEndpoints(
  app: Express,
  { readiness, metrics, hasConsole }: MachineEndpoints,
): void {
  if (metrics) mountMetrics(app, metrics);
  app.get('/healthz', (_req, res) => {
    sendJson(res, 200, { status: 'ok' });
  });
  app.get('/readyz', async (_req, res) => {
    const problem = await readiness();
    if (problem === undefined) sendJson(res, 200, { status: 'ready' });
    else sendJson(res, 503, { status: 'unavailable', problem }, { 'Retry-After': 1 });
  });
  // Beside the page as well: there its links find them when it is read from files or under another path.
  app.get(
    ['/openapi.json', '/docs/openapi.json'],
    serveContract(contractJson, 'application/json; charset=utf-8'),
  );
  app.get(
    ['/openapi.yaml', '/docs/openapi.yaml'],
    serveContract(contractYaml, 'application/yaml; charset=utf-8'),
  );
  app.get(
    '/docs',
    serveFile({
      file: docsPage,
      contentType: 'text/html; charset=utf-8',
      buildCommand: 'npm run docs',
      headersFor: singleFilePolicy,
    }),
  );
  app.get('/', redirectTo('docs'));
  app.get('/docs/', redirectTo('../docs'));
  if (hasConsole) mountConsole(app);
}

function serveContract(file: string, contentType: string): RequestHandler {
  return serveFile({ file, contentType, buildCommand: 'npm run generate' });
}
