/** Asks the service that runs with the same environment whether it is ready. */
import http from 'node:http';
import https from 'node:https';
import type { Reader } from '../config/environment.js';
import { messageOf } from '../lib/errors/error-code.js';
import { terminal } from '../lib/system/terminal.js';

const timeoutMs = 4_000;

/** Returns the exit code; prints the problem to standard error if it is not 0. */
export async function checkReadiness(read: Reader): Promise<number> {
  try {
    const { status, body } = await ask(addressOf(read));
    if (status === 200) return 0;
    terminal.printError(`/readyz answered ${status}: ${body}`);
  } catch (error) {
    terminal.printError(`The service does not answer: ${messageOf(error)}`);
  }
  return 1;
}

function addressOf(read: Reader): URL {
  const port = read.integer('PORT', { fallback: 3000, min: 1, max: 65_535 });
  const host = read.text('HOST') ?? '127.0.0.1';
  const isTls = read.text('TLS_CERT') !== undefined;
  const loopback: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
  const name = loopback[host] ?? (host.includes(':') ? `[${host}]` : host);
  return new URL(`${isTls ? 'https' : 'http'}://${name}:${port}/readyz`);
}

function ask(address: URL): Promise<{ status: number | undefined; body: string }> {
  const options = {
    // The certificate is for public host names and may be self-signed. The request contains no secrets.
    rejectUnauthorized: false,
    signal: AbortSignal.timeout(timeoutMs),
    agent: false,
  };
  return new Promise((resolve, reject) => {
    const client = address.protocol === 'https:' ? https : http;
    client
      .get(address, options, (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => (body += text));
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode, body });
        });
      })
      .on('error', reject);
  });
}
