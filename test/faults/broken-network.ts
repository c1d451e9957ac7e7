/**
 * A network between the service and its database that splits, delays and cuts traffic, driven by a seed. Connections are
 * delayed independently of each other; within a connection TCP keeps the order.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from './faults.js';
import type { Random } from '../helpers/text/random.js';

export interface BrokenNetwork {
  /** The same database, through the network. */
  url: string;
  /** The network works normally until it is broken. */
  setBroken: (isBroken: boolean) => void;
  cuts: () => number;
  close: () => Promise<void>;
}

const maxDelayMs = 40;
const chanceToDelay = 0.1;
const chanceToCut = 0.003;

export async function startBrokenNetwork(target: string, random: Random): Promise<BrokenNetwork> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isBroken = false;
  let cuts = 0;

  /** Forwards one direction in order, with a separate delay for each chunk. */
  const carry = async (from: Socket, to: Socket) => {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      const pieces = isBroken ? split(chunk, random) : [chunk];
      for (const piece of pieces) {
        if (isBroken && random.chance(chanceToDelay)) await delay(random.below(maxDelayMs));
        if (isBroken && random.chance(chanceToCut)) {
          cuts += 1;
          // In the middle of a chunk.
          to.write(piece.subarray(0, Math.floor(piece.length / 2)));
          return;
        }
        to.write(piece);
      }
    }
  };

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const pair = [client, upstream] as const;
    const end = () => {
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) {
      sockets.add(socket);
      socket.on('error', end).once('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    void Promise.race([carry(client, upstream), carry(upstream, client)]).then(end, end);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(target);
  url.port = String(typeof address === 'object' ? address?.port : '');
  return {
    url: url.href,
    setBroken: (wanted) => {
      isBroken = wanted;
    },
    cuts: () => cuts,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

export const brokenNetwork =
  (network: BrokenNetwork, milliseconds: number): Fault =>
  async () => {
    network.setBroken(true);
    await delay(milliseconds);
    network.setBroken(false);
    return 0;
  };

function split(chunk: Buffer, random: Random): Buffer[] {
  if (chunk.length < 2 || random.chance(0.7)) return [chunk];
  const at = random.between(1, chunk.length - 1);
  return [chunk.subarray(0, at), chunk.subarray(at)];
}
