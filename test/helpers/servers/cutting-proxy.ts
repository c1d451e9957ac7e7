/** A load balancer in front of service instances that drops connections in the middle of a response. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  url: string;
  /** The number of dropped connections. */
  cuts: () => number;
  /** Drops all open connections. */
  cutAll: () => void;
  stop: () => Promise<void>;
}

export interface CuttingOptions {
  /** Connections are distributed in turn; one that is not accepted goes to the next instance. */
  targets: string[];
  /** The number of response bytes after which a connection is dropped. Infinity means never. */
  bytesUntilCut: () => number;
}

export async function startCuttingProxy({
  targets,
  bytesUntilCut,
}: CuttingOptions): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  let turn = 0;
  let cuts = 0;

  const server = createServer((client) => {
    open.add(client);
    let left = bytesUntilCut();
    const early: Buffer[] = [];
    let upstream: Socket | undefined;
    const forward = (chunk: Buffer) => {
      if (upstream) upstream.write(chunk);
      else early.push(chunk);
    };
    client.on('data', forward);
    client.on('error', () => undefined);
    client.once('close', () => {
      open.delete(client);
      upstream?.destroy();
    });
    turn += 1;
    void reach(targets, turn).then((socket) => {
      if (!socket || client.destroyed) {
        client.destroy();
        socket?.destroy();
        return;
      }
      upstream = socket;
      for (const chunk of early) socket.write(chunk);
      socket.on('error', () => undefined);
      socket.once('close', () => client.destroy());
      socket.on('data', (chunk: Buffer) => {
        client.write(chunk.subarray(0, left));
        left -= chunk.length;
        if (left > 0) return;
        cuts += 1;
        left = Infinity;
        socket.removeAllListeners('data');
        // Flushes the data written so far.
        client.write('', () => client.destroy());
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cutAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    cuts: () => cuts,
    cutAll,
    stop: async () => {
      server.close();
      cutAll();
      await once(server, 'close');
    },
  };
}

/** Connects to the first instance that accepts, starting with the one whose turn it is. */
async function reach(targets: string[], turn: number): Promise<Socket | undefined> {
  for (let tried = 0; tried < targets.length; tried += 1) {
    const { hostname, port } = new URL(targets[(turn + tried) % targets.length] ?? '');
    const socket = connect({ host: hostname, port: Number(port) });
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    if (isOpen) return socket;
  }
  return undefined;
}
