/** Loads the TLS certificate of the service, and reloads it when its files change. */
import { constants } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:https';
import { createSecureContext, type SecureContextOptions, type TlsOptions } from 'node:tls';
import type { Logger } from 'pino';
import { errorCode, messageOf } from '../../lib/errors/error-code.js';

interface TlsFiles {
  certFile: string;
  keyFile: string;
}

interface CertificateWatcher {
  close: () => Promise<void>;
}

/** A certificate file cannot be used. The message names the variable that configures it. */
class TlsError extends Error {
  override readonly name = 'TlsError';
}

/**
 * Every client is asked for a certificate, and none is rejected in the handshake: which authority a certificate must
 * chain to depends on the agent that a request is about, and is checked there.
 */
export const tlsServerOptions: TlsOptions = {
  requestCert: true,
  rejectUnauthorized: false,
  handshakeTimeout: 10_000,
  minVersion: 'TLSv1.2',
  // Forward secrecy and authenticated encryption only, for TLS 1.2 too.
  ciphers: [
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
  ].join(':'),
  honorCipherOrder: true,
  // No tickets: a resumed session has the client's certificate but not its intermediate certificates.
  secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
};

export async function readTls(files: TlsFiles): Promise<SecureContextOptions> {
  const context = {
    cert: await read('TLS_CERT', files.certFile),
    key: await read('TLS_KEY', files.keyFile),
  };
  try {
    createSecureContext(context);
  } catch (cause) {
    throw new TlsError(
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
    throw new TlsError(`${variable} names ${file}, which cannot be read (${reason}).`, { cause });
  }
}

const pollIntervalMs = 1_000;

/**
 * Polls the files, because file watchers miss the way in which mounted secrets are replaced. New connections get the
 * new certificate, open ones keep theirs. While certificate and key do not match, for example in the middle of a
 * replacement, the previous certificate stays in use.
 */
export function watchTls(
  server: Pick<Server, 'setSecureContext'>,
  files: TlsFiles,
  inUse: SecureContextOptions,
  log: Logger,
): CertificateWatcher {
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
      server.setSecureContext({ ...tlsServerOptions, ...found });
      current = text;
      log.info('TLS certificate reloaded');
    } catch (error) {
      // Logged once per problem, not at every poll.
      if (messageOf(error) !== problem)
        log.error({ err: error }, 'TLS certificate not reloaded, the previous one stays in use');
      problem = messageOf(error);
    } finally {
      isPolling = false;
    }
  };
  const timer = setInterval(() => void poll(), pollIntervalMs);
  timer.unref();
  return {
    close: () => {
      clearInterval(timer);
      return Promise.resolve();
    },
  };
}
