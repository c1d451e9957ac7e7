/** Serves the console: one page for all of its paths, and the assets that the page refers to. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { RequestHandler, Router } from 'express';
import { notFound } from '../contract/errors.js';
import { consoleFolder } from '../contract/project-files.js';
import { applicationPolicy } from './transport/page-policy.js';
import { redirectTo } from './transport/redirect.js';
import { serveFile } from './transport/static-file.js';

const buildCommand = 'npm run console';

const contentTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The build adds a content hash to each name. */
const assetName = /^[\w-]+-[A-Z0-9]{8}\.(css|js|svg)$/;

/** The page routes by its own path, which has a few segments at most. */
const pagePath = /^\/console\/(?:[^/]+(?:\/[^/]+){0,3}\/?)?$/;
const dotSegment = /\/\.{1,2}(?:\/|$)/;

export function mountConsole(router: Router): void {
  router.get('/console', redirectTo('console/'));
  const assets = new Map<string, RequestHandler>();
  router.get('/console/assets/:name', (req, res, next) => {
    const { name } = req.params;
    if (!assetName.test(name)) throw notFound('such file');
    const file = path.join(consoleFolder, 'assets', name);
    // Unknown names are not added, so that unauthenticated clients cannot fill the map.
    if (!assets.has(name) && !existsSync(file)) throw notFound('such file');
    const serve = assets.get(name) ?? serveAsset(file);
    assets.set(name, serve);
    return serve(req, res, next);
  });
  const pages: RequestHandler[] = [];
  router.get(pagePath, (req, res, next) => {
    if (dotSegment.test(req.path)) throw notFound('such page');
    const depth = req.path.split('/').length - 3;
    return (pages[depth] ??= servePage(depth))(req, res, next);
  });
}

/** The name changes with the content, so clients can cache it forever. */
function serveAsset(file: string): RequestHandler {
  return serveFile({
    file,
    contentType: contentTypes[path.extname(file)] ?? '',
    buildCommand,
    cacheControl: 'public, max-age=31536000, immutable',
  });
}

/**
 * The base is a relative path from the page to `console/`, so that it works behind a proxy that adds a prefix. Clients revalidate
 * the page each time, because an outdated one would refer to assets that no longer exist.
 */
function servePage(depth: number): RequestHandler {
  return serveFile({
    file: path.join(consoleFolder, 'index.html'),
    contentType: 'text/html; charset=utf-8',
    buildCommand,
    cacheControl: 'no-cache',
    transform: (html) =>
      html.replace('<base href="./" />', `<base href="${'../'.repeat(depth) || './'}" />`),
    headersFor: applicationPolicy,
  });
}
