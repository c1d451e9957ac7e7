/** A way to the database that a test can close, block or tamper with, as faults of a network and of a server do. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { useFixture } from './fixture.js';

export interface Proxy {
  /** The same database, through the proxy. */
  url: string;
  /** Cuts every connection and refuses new ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Forwards nothing until `thaw`, but keeps connections open and accepts new ones, as a server does that hangs. */
  freeze(): void;
  thaw(): void;
  /** Forwards nothing on the connections that there are, ever again; new ones work. */
  strand(): void;
  /** Forwards nothing on new connections, as a server that is too busy to begin sessions. */
  strandNew(): void;
  /** Changes what the server sends; undefined: nothing. */
  tamper(change: ((sent: Buffer) => Buffer) | undefined): void;
  close(): Promise<void>;
}

/** A proxy to the database of a service, for the tests of the file. */
export function useProxy(service: { databaseUrl: string }): Proxy {
  return useFixture(
    () => proxyTo(service.databaseUrl),
    (proxy) => proxy.close(),
  );
}

interface Connection {
  client: Socket;
  upstream: Socket;
  isStranded: boolean;
  /** What is to be forwarded, in order. */
  pending: (() => void)[];
}

export async function proxyTo(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const connections = new Set<Connection>();
  let isFrozen = false;
  let isFull = false;
  let change: ((sent: Buffer) => Buffer) | undefined;

  const flush = (connection: Connection) => {
    if (isFrozen || connection.isStranded) return;
    for (const forward of connection.pending.splice(0)) forward();
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    const connection: Connection = { client, upstream, isStranded: isFull, pending: [] };
    connections.add(connection);
    const forward = (action: () => void) => {
      connection.pending.push(action);
      flush(connection);
    };
    client.on('data', (sent) => {
      forward(() => upstream.write(sent));
    });
    upstream.on('data', (sent) => {
      forward(() => client.write(change?.(sent) ?? sent));
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => undefined);
      from.once('end', () => {
        forward(() => to.end());
      });
      from.once('close', () => {
        connections.delete(connection);
        to.destroy();
      });
    }
  });
  const open = async (at: number) => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
  };
  const cut = async () => {
    if (!server.listening) return;
    for (const { client, upstream } of connections) {
      client.destroy();
      upstream.destroy();
    }
    server.close();
    await once(server, 'close');
  };
  await open(0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  const url = new URL(target);
  url.port = String(address.port);
  return {
    url: url.href,
    cut,
    restore: () => open(address.port),
    freeze: () => {
      isFrozen = true;
    },
    thaw: () => {
      isFrozen = false;
      connections.forEach(flush);
    },
    strand: () => {
      for (const connection of connections) connection.isStranded = true;
    },
    strandNew: () => {
      isFull = true;
    },
    tamper: (wanted) => {
      change = wanted;
    },
    close: cut,
  };
}

/** An error as PostgreSQL sends it; FATAL ones end the session. */
export function errorResponse(severity: 'ERROR' | 'FATAL', code: string, message: string): Buffer {
  const fields = [`S${severity}`, `V${severity}`, `C${code}`, `M${message}`, ''];
  const body = fields.map((field) => `${field}\0`).join('');
  const length = Buffer.alloc(4);
  length.writeInt32BE(Buffer.byteLength(body) + length.length);
  return Buffer.concat([Buffer.from('E'), length, Buffer.from(body)]);
}

/** Whether the server says, at the end of this, that it waits for the next statement. */
export function endsReady(sent: Buffer): boolean {
  return sent.subarray(-6, -1).equals(Buffer.from('Z\0\0\0\u0005'));
}
