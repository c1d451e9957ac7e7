/** A proxy to the database that a test can close, block or tamper with, to simulate network and server faults. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { useFixture } from '../service/fixture.js';

export interface Proxy {
  /** The same database, through the proxy. */
  url: string;
  /** Closes every connection and refuses new ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Forwards nothing until `thaw`, but keeps connections open and accepts new ones, like a hanging server. */
  freeze(): void;
  thaw(): void;
  /** Forwards nothing more on the open connections; new ones work. */
  strand(): void;
  /** Forwards nothing on new connections, like a server that is too busy to start sessions. */
  strandNew(): void;
  /** Forwards nothing on the next connection with this application name. */
  strandNext(applicationName: string): void;
  /** Changes the data that the server sends; undefined for no change. */
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
  /** The data to forward, in order. */
  pending: (() => void)[];
}

export async function proxyTo(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const connections = new Set<Connection>();
  let isFrozen = false;
  let isFull = false;
  let nextStranded: string | undefined;
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
      // The first message of a session names its application.
      if (nextStranded !== undefined && sent.includes(nextStranded)) {
        connection.isStranded = true;
        nextStranded = undefined;
      }
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
    strandNext: (applicationName) => {
      nextStranded = applicationName;
    },
    tamper: (wanted) => {
      change = wanted;
    },
    close: cut,
  };
}

/** An error message of PostgreSQL; FATAL ones end the session. */
export function errorResponse(severity: 'ERROR' | 'FATAL', code: string, message: string): Buffer {
  const fields = [`S${severity}`, `V${severity}`, `C${code}`, `M${message}`, ''];
  const body = fields.map((field) => `${field}\0`).join('');
  const length = Buffer.alloc(4);
  length.writeInt32BE(Buffer.byteLength(body) + length.length);
  return Buffer.concat([Buffer.from('E'), length, Buffer.from(body)]);
}

/** Whether the data ends with ReadyForQuery. */
export function endsWithReadyForQuery(sent: Buffer): boolean {
  return sent.subarray(-6, -1).equals(Buffer.from('Z\0\0\0\u0005'));
}
