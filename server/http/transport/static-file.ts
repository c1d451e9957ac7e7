/**
 * Serves a file of the project from memory. Anybody may ask for it, so it is compressed once, and a client that has it is
 * told so in a few bytes.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { RequestHandler } from 'express';
import { notFound } from '../../domain/errors.js';
import { hasCode } from '../../lib/errors/error-code.js';

interface Asset {
  etag: string;
  encodings: Record<string, Buffer>;
  headers: Record<string, string>;
}

export interface StaticFile {
  file: string;
  contentType: string;
  /** How the file is built, for whoever finds that it is not there. */
  buildCommand: string;
  /** By default a client asks again after a few minutes. */
  cacheControl?: string;
  /** Further headers, which may depend on the content. */
  headersFor?: (content: string) => Record<string, string>;
  /** What is sent in place of the content of the file. */
  transform?: (content: string) => string;
}

/** How long a client need not ask again. */
export const maxAgeSeconds = 300;

export function serveFile(source: StaticFile): RequestHandler {
  let loading: Promise<Asset> | undefined;
  return async (req, res) => {
    loading ??= load(source);
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
