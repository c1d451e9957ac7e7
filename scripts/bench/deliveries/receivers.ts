/**
 * The receivers of the delivery benchmark, in a separate process: healthy ones that respond at once, and hanging ones
 * that never respond. Reports to its parent when the first byte of each delivery arrived.
 */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Arrival {
  eventId: string;
  /** In milliseconds on the system's monotonic clock, which all processes share. */
  arrivedAt: number;
}

export interface ReceiverUrls {
  healthy: string[];
  hanging: string[];
}

const receiversPerKind = Number(process.argv[2]);
let arrivals: Arrival[] = [];

async function startReceiver(listener: http.RequestListener): Promise<string> {
  const server = http.createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/hook`;
}

const respond: http.RequestListener = (request, response) => {
  arrivals.push({
    eventId: String(request.headers['webhook-id']),
    arrivedAt: Number(process.hrtime.bigint()) / 1e6,
  });
  request.resume();
  response.writeHead(204).end();
};

const hang: http.RequestListener = (request) => {
  request.resume();
};

const start = (listener: http.RequestListener) =>
  Promise.all(Array.from({ length: receiversPerKind }, () => startReceiver(listener)));

const urls: ReceiverUrls = { healthy: await start(respond), hanging: await start(hang) };
process.send?.(urls);
setInterval(() => {
  if (arrivals.length > 0) process.send?.(arrivals);
  arrivals = [];
}, 20);
process.once('disconnect', () => process.exit(0));
