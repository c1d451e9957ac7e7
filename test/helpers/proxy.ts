/** A way to the database that a test can close and open again, as an outage does. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { useFixture } from './fixture.js';

export interface Proxy {
  /** The same database, through the proxy. */
  url: string;
  /** Cuts every connection and refuses new ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** A proxy to the database of a service, for the tests of the file. */
export function useProxy(service: { databaseUrl: string }): Proxy {
  return useFixture(
    () => proxyTo(service.databaseUrl),
    (proxy) => proxy.close(),
  );
}

export async function proxyTo(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  const open = async (at: number) => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
  };
  const cut = async () => {
    if (!server.listening) return;
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  await open(0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  const url = new URL(target);
  url.port = String(address.port);
  return { url: url.href, cut, restore: () => open(address.port), close: cut };
}
