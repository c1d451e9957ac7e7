/** A local HTTP server that receives webhook deliveries and verifies them. */
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '../src/index.js';
import { CommandError, exitCodes } from './exit-codes.js';

export interface Receiver {
  url: string;
  close: () => Promise<void>;
}

/** A delivery with a valid signature. */
export interface Delivery {
  event: WebhookEvent;
  headers: IncomingHttpHeaders;
  body: Uint8Array<ArrayBuffer>;
}

export interface Acknowledgement {
  status: number;
  /** How long the service is asked to wait before it tries again. */
  retryAfter?: string;
}

interface ReceiverOptions {
  port: number;
  /** Undefined until the webhook is registered. */
  secret: () => string | undefined;
  /** Resolves to the response for the service. */
  onDelivery: (delivery: Delivery) => Promise<Acknowledgement>;
  onRejected: (reason: string) => void;
}

/** Larger than any event. */
const maxBodySize = 16 * 1024 * 1024;

export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { port, onRejected } = options;
  // Imported here, since no other command needs it.
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => {
    receive(request, options).then(
      ({ status, retryAfter }) =>
        response
          .writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter })
          .end(),
      (error: unknown) => {
        onRejected(error instanceof Error ? error.message : String(error));
        response.writeHead(500).end();
      },
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`Port ${port} cannot be used: ${reason}`, exitCodes.failure, [
      'Choose another with --port, or 0 for a free one.',
    ]);
  });
  // The address of a server that listens on a port is an object.
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

async function receive(
  request: IncomingMessage,
  { secret, onDelivery, onRejected }: ReceiverOptions,
): Promise<Acknowledgement> {
  const body = await readBody(request);
  if (body === undefined) return { status: 413 };
  const currentSecret = secret();
  // The service delivers again later, once the secret is known.
  if (currentSecret === undefined) return { status: 503 };
  const { headers } = request;
  try {
    const event = await verifyWebhook(body, headers, currentSecret);
    return await onDelivery({ event, headers, body });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    onRejected(error.message);
    return { status: 401 };
  }
}

/** Undefined if the body is too large. */
async function readBody(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodySize) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
