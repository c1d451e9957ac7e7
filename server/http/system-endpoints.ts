/** The endpoints outside the API: health, readiness, metrics, the contract, its documentation, and the console. */
import express, { type RequestHandler, type Router } from 'express';
import { contractJson, contractYaml, docsPage } from '../contract/project-files.js';
import { mountConsole } from './console-page.js';
import { metricsPath, type MetricsEndpoint, mountMetrics } from './metrics-endpoint.js';
import { singleFilePolicy } from './transport/page-policy.js';
import { redirectTo } from './transport/redirect.js';
import { sendJson } from './transport/respond.js';
import { serveFile } from './transport/static-file.js';

interface Readiness {
  /** Why the service is not ready; undefined if it is. */
  problem?: string;
  /** Set if the service can only read. */
  database?: 'read-only';
}

export type ReadinessCheck = () => Promise<Readiness>;

export interface SystemEndpoints {
  readiness: ReadinessCheck;
  hasConsole: boolean;
  /** Undefined if this port does not serve metrics. */
  metrics: MetricsEndpoint | undefined;
}

const probes: readonly string[] = ['/healthz', '/readyz', metricsPath];

/** Probes are requested every few seconds, so they are kept out of logs and traces. */
export function isProbe(path: string): boolean {
  return probes.includes(path);
}

export function systemEndpoints({ readiness, metrics, hasConsole }: SystemEndpoints): Router {
  // Strict, as in the API: each endpoint has exactly one path.
  const router = express.Router({ caseSensitive: true, strict: true });
  if (metrics) mountMetrics(router, metrics);
  router.get('/healthz', (_req, res) => {
    sendJson(res, 200, { status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const { problem, database } = await readiness();
    if (problem === undefined) sendJson(res, 200, { status: 'ready', database });
    else sendJson(res, 503, { status: 'unavailable', problem }, { 'Retry-After': 1 });
  });
  // Also under /docs, because the page links to them relatively: the links then work from a file or behind a path prefix too.
  router.get(
    ['/openapi.json', '/docs/openapi.json'],
    serveContract(contractJson, 'application/json; charset=utf-8'),
  );
  router.get(
    ['/openapi.yaml', '/docs/openapi.yaml'],
    serveContract(contractYaml, 'application/yaml; charset=utf-8'),
  );
  router.get(
    '/docs',
    serveFile({
      file: docsPage,
      contentType: 'text/html; charset=utf-8',
      buildCommand: 'npm run docs',
      headersFor: singleFilePolicy,
    }),
  );
  router.get('/', redirectTo('docs'));
  router.get('/docs/', redirectTo('../docs'));
  if (hasConsole) mountConsole(router);
  return router;
}

function serveContract(file: string, contentType: string): RequestHandler {
  return serveFile({ file, contentType, buildCommand: 'npm run generate' });
}
