/**
 * Serves a file of the project from memory. Anybody may ask for it, so it is compressed once, a client that has it is told
 * so in a few bytes, and an HTML page can neither be framed nor load anything but itself.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { RequestHandler } from 'express';
import { notFound } from '../../domain/errors.js';
import { hasCode } from '../../lib/error-code.js';

interface Asset {
  etag: string;
  encodings: Record<string, Buffer>;
  headers: Record<string, string>;
}

/** How long a client need not ask again. */
export const maxAgeSeconds = 300;

export function serveFile(file: string, contentType: string): RequestHandler {
  let loading: Promise<Asset> | undefined;
  return async (req, res) => {
    loading ??= load(file, contentType);
    const asset = await loading.catch((error: unknown) => {
      // Built while the service runs, it is found by the next request.
      loading = undefined;
      throw error;
    });
    res.set({ ...asset.headers, ETag: asset.etag });
    if (req.fresh) {
      res.status(304).end();
      return;
    }
    const encoding = req.acceptsEncodings(['br', 'gzip', 'identity']) || 'identity';
    const body = asset.encodings[encoding] ?? Buffer.alloc(0);
    if (encoding !== 'identity') res.setHeader('Content-Encoding', encoding);
    res.setHeader('Content-Length', body.length);
    res.end(req.method === 'HEAD' ? undefined : body);
  };
}

async function load(file: string, contentType: string): Promise<Asset> {
  const identity = await readFile(file).catch((error: unknown) => {
    throw hasCode(error, 'ENOENT') ? notFound('documentation; build it with: npm run docs') : error;
  });
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
    promisify(gzip)(identity),
  ]);
  return {
    etag: `"${createHash('sha256').update(identity).digest('base64url')}"`,
    encodings: { identity, br, gzip: gz },
    headers: {
      'Content-Type': contentType,
      'Cache-Control': `public, max-age=${maxAgeSeconds}`,
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
      ...(contentType.startsWith('text/html') ? pagePolicy(identity.toString()) : {}),
    },
  };
}

/** Scripts are allowed by their hashes: what a script of the page writes into it does not run. */
function pagePolicy(html: string): Record<string, string> {
  const scripts = [...html.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, text = '']) => text,
  );
  const hashes = scripts.map(
    (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      `script-src ${[...new Set(hashes)].join(' ')} blob:`,
      "style-src 'unsafe-inline'",
      'img-src data:',
      'font-src data:',
      'connect-src blob:',
      'worker-src blob:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
  };
}
