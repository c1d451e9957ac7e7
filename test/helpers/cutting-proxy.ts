/** A load balancer in front of instances of the service that loses connections in the middle of what they send. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  url: string;
  /** How many connections it has cut in the middle. */
  cuts: () => number;
  /** Cuts all connections that there are. */
  cutAll: () => void;
  stop: () => Promise<void>;
}

export interface CuttingOptions {
  /** Each connection goes to the next of them; to another one if that does not answer. */
  targets: string[];
  /** After how many bytes of what the service sends a connection is cut. Infinity: never. */
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
        // What was written before is on its way.
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

/** A connection to the first that answers, beginning with the one whose turn it is. */
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
