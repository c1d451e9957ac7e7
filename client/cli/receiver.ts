/** A server on this machine that takes deliveries, verifies them, and hands on what is genuine. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '../src/index.js';
import { CommandFailure, exitCodes } from './exit-codes.js';

export interface Receiver {
  url: string;
  close: () => Promise<void>;
}

export interface Receiving {
  port: number;
  secret: () => string | undefined;
  received: (event: WebhookEvent) => void;
  refused: (reason: string) => void;
}

/** More than any event holds. */
const largestBody = 16 * 1024 * 1024;

export async function startReceiver(receiving: Receiving): Promise<Receiver> {
  const { port, secret, received, refused } = receiving;
  const server = createServer((request, response) => {
    const answer = async (): Promise<number> => {
      const body = await bodyOf(request);
      const key = secret();
      if (body === undefined) return 413;
      // It is not known yet. The service tries again.
      if (key === undefined) return 503;
      try {
        received(await verifyWebhook(body, request.headers, key));
        return 204;
      } catch (error) {
        if (!(error instanceof WebhookVerificationError)) throw error;
        refused(error.message);
        return 401;
      }
    };
    answer().then(
      (status) => response.writeHead(status).end(),
      (error: unknown) => {
        refused(error instanceof Error ? error.message : String(error));
        response.writeHead(500).end();
      },
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(`Port ${port} cannot be used: ${reason}`, exitCodes.failed, [
      'Choose another with --port, or 0 for a free one.',
    ]);
  });
  // A server that listens on a port has such an address.
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestBody) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
