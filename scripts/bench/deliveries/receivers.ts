/**
 * The receivers of the delivery benchmark, in a process of their own: quick ones that answer at once, and ones that
 * take a request and never answer. Tells its parent when the first byte of each delivery arrived.
 */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** On the system's monotonic clock, which all processes share. In milliseconds. */
export type Arrival = [eventId: string, at: number];

export interface ReceiverUrls {
  healthy: string[];
  hanging: string[];
}

const ofAKind = Number(process.argv[2]);
let arrivals: Arrival[] = [];

async function listen(behave: http.RequestListener): Promise<string> {
  const server = http.createServer(behave);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}/hook`;
}

const answer: http.RequestListener = (request, response) => {
  arrivals.push([String(request.headers['webhook-id']), Number(process.hrtime.bigint()) / 1e6]);
  request.resume();
  response.writeHead(204).end();
};

const hang: http.RequestListener = (request) => {
  request.resume();
};

const urls: ReceiverUrls = {
  healthy: await Promise.all(Array.from({ length: ofAKind }, () => listen(answer))),
  hanging: await Promise.all(Array.from({ length: ofAKind }, () => listen(hang))),
};
process.send?.(urls);
setInterval(() => {
  if (arrivals.length > 0) process.send?.(arrivals);
  arrivals = [];
}, 20);
process.once('disconnect', () => process.exit(0));
