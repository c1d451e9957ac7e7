/**
 * Serves a file of the project from memory. Unauthenticated clients can request it, so it is compressed only once, and a
 * client that has the current version receives a 304.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { RequestHandler } from 'express';
import { notFound } from '../../contract/errors.js';
import { hasCode } from '../../lib/errors/error-code.js';

interface Asset {
  etag: string;
  encodings: Record<string, Buffer>;
  headers: Record<string, string>;
}

interface StaticFile {
  file: string;
  contentType: string;
  /** The command that builds the file, for the error if it is missing. */
  buildCommand: string;
  /** By default, clients revalidate after `maxAgeSeconds`. */
  cacheControl?: string;
  headersFor?: (content: string) => Record<string, string>;
  /** Replaces the content that is sent. */
  transform?: (content: string) => string;
}

export const maxAgeSeconds = 300;

export function serveFile(source: StaticFile): RequestHandler {
  let loading: Promise<Asset> | undefined;
  return async (req, res) => {
    loading ??= load(source);
    const asset = await loading.catch((error: unknown) => {
      // The next request tries again, since the file may be built in the meantime.
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

async function load({
  file,
  contentType,
  buildCommand,
  cacheControl = `public, max-age=${maxAgeSeconds}`,
  headersFor,
  transform,
}: StaticFile): Promise<Asset> {
  const content = await readFile(file).catch((error: unknown) => {
    throw hasCode(error, 'ENOENT') ? notFound(`such file; build it with: ${buildCommand}`) : error;
  });
  const identity = transform ? Buffer.from(transform(content.toString())) : content;
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
    promisify(gzip)(identity),
  ]);
  return {
    etag: `"${createHash('sha256').update(identity).digest('base64url')}"`,
    encodings: { identity, br, gzip: gz },
    headers: {
      'Content-Type': contentType,
      'Cache-Control': cacheControl,
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
      ...headersFor?.(identity.toString()),
    },
  };
}
