/** A name server on loopback whose answers a test sets, also differently for each query. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  /** The address to configure a resolver with. */
  address: string;
  questions: () => number;
  close: () => Promise<void>;
}

/** The addresses for the first query of the name, the second, and so on; undefined for no answer. */
export type Addresses = (name: string, family: 4 | 6, question: number) => string[] | undefined;

const types = { 1: 4, 28: 6 } as const;

export async function startNameServer(addresses: Addresses): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked = new Map<string, number>();
  socket.on('message', (query, sender) => {
    const { name, type, end } = readQuestion(query);
    const family = type === 1 || type === 28 ? types[type] : undefined;
    if (family === undefined) return;
    const key = `${name} ${family}`;
    const question = (asked.get(key) ?? 0) + 1;
    asked.set(key, question);
    const found = addresses(name, family, question);
    if (found) socket.send(reply(query, end, type, found), sender.port, sender.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions: () => [...asked.values()].reduce((sum, count) => sum + count, 0),
    close: async () => {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function reply(query: Buffer, end: number, type: number, addresses: string[]): Buffer {
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const answers = addresses.map((address) => {
    const data = addressBytes(address);
    const record = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([header, query.subarray(12, end), ...answers]);
}

/** Accepts only the full notation with eight groups. */
function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const groups = address.split(':').map((group) => Number.parseInt(group, 16));
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}
