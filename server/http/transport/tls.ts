/** The certificate with which the service listens for https, read again whenever its files change. */
import { constants } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:https';
import { createSecureContext, type SecureContextOptions, type TlsOptions } from 'node:tls';
import type { Logger } from 'pino';
import { errorCode, messageOf } from '../../lib/error-code.js';

export interface TlsFiles {
  certFile: string;
  keyFile: string;
  /** Authorities whose names clients are told, so that they know which certificate to send. */
  clientCaFile: string | undefined;
}

export interface Watch {
  close: () => Promise<void>;
}

/** Says which variable names a file that is of no use. */
export class TlsProblem extends Error {
  override readonly name = 'TlsProblem';
}

/**
 * Every client is asked for a certificate, and none is refused for having no good one: which authority counts, if any,
 * is up to the agent that a request is about, and decided there.
 */
export const listeningOptions: TlsOptions = {
  requestCert: true,
  rejectUnauthorized: false,
  handshakeTimeout: 10_000,
  minVersion: 'TLSv1.2',
  // A resumed session would come with the client's certificate but without the ones that lead to its authority.
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
};

export async function readTls(files: TlsFiles): Promise<SecureContextOptions> {
  const context = {
    cert: await read('TLS_CERT', files.certFile),
    key: await read('TLS_KEY', files.keyFile),
    ...(files.clientCaFile === undefined
      ? {}
      : { ca: await read('TLS_CLIENT_CA', files.clientCaFile) }),
  };
  try {
    createSecureContext(context);
  } catch (cause) {
    throw new TlsProblem(
      `TLS_CERT (${files.certFile}) and TLS_KEY (${files.keyFile}) must be a certificate in PEM and its private key: ${messageOf(cause)}`,
      { cause },
    );
  }
  return context;
}

async function read(variable: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const reason = errorCode(cause) ?? 'unknown';
    throw new TlsProblem(`${variable} names ${file}, which cannot be read (${reason}).`, { cause });
  }
}

const pollEveryMs = 1_000;

/**
 * Looks at the files instead of waiting to be told: mounted secrets are exchanged in ways that no watcher sees. New
 * connections get the new certificate, those that are open stay. While the files do not fit together, as in the middle
 * of an exchange, the certificate before them stays.
 */
export function watchTls(
  server: Pick<Server, 'setSecureContext'>,
  files: TlsFiles,
  inUse: SecureContextOptions,
  log: Logger,
): Watch {
  let current = JSON.stringify(inUse);
  let problem: string | undefined;
  let isPolling = false;
  const poll = async () => {
    if (isPolling) return;
    isPolling = true;
    try {
      const found = await readTls(files);
      problem = undefined;
      const text = JSON.stringify(found);
      if (text === current) return;
      server.setSecureContext({ ...listeningOptions, ...found });
      current = text;
      log.info('listening with the new certificate');
    } catch (error) {
      // Once for each problem, not once for each look.
      if (messageOf(error) !== problem)
        log.error({ err: error }, 'the certificate stays as it was');
      problem = messageOf(error);
    } finally {
      isPolling = false;
    }
  };
  const timer = setInterval(() => void poll(), pollEveryMs);
  timer.unref();
  return {
    close: () => {
      clearInterval(timer);
      return Promise.resolve();
    },
  };
}
