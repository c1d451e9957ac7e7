/** The endpoints beside the API: health, readiness, the contract and its documentation. */
import type { Express, RequestHandler } from 'express';
import { contractJson, contractYaml, docsPage } from '../lib/project-files.js';
import { sendJson } from './transport/respond.js';
import { maxAgeSeconds, serveFile } from './transport/static-file.js';

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
  // Beside the page as well: there its links find them when it is read from files or under another path.
  app.get(
    ['/openapi.json', '/docs/openapi.json'],
    serveFile(contractJson, 'application/json; charset=utf-8'),
  );
  app.get(
    ['/openapi.yaml', '/docs/openapi.yaml'],
    serveFile(contractYaml, 'application/yaml; charset=utf-8'),
  );
  app.get('/docs', serveFile(docsPage, 'text/html; charset=utf-8'));
  app.get('/', redirectTo('docs'));
  app.get('/docs/', redirectTo('../docs'));
}

/** To a path relative to that of the request, so that it is right behind a proxy that adds a prefix. */
function redirectTo(location: string): RequestHandler {
  return (_req, res) => {
    res
      .writeHead(302, {
        Location: location,
        'Cache-Control': `public, max-age=${maxAgeSeconds}`,
        'Content-Length': 0,
        'X-Content-Type-Options': 'nosniff',
      })
      .end();
  };
}
