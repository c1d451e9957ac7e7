/** Starts the servers, and measures how long each takes until it has answered an invocation. */
import { freePort } from '../../../server/store/embedded/free-port.js';
import { Failure } from '../../lib/failure.js';
import type { BenchCluster } from '../lib/clusters.js';
import type { BenchEnvironment } from '../lib/environment.js';
import type { Load } from '../lib/load.js';
import { median } from '../lib/statistics.js';
import type { Server } from './server.js';

export interface Started {
  server: Server;
  url: string;
  pid: number;
  cluster: BenchCluster;
  /** From the start of the process to the first response to an invocation, with its tables in place. */
  startMs: number;
}

const starts = 3;

/** The first start, which creates the tables, does not count. The last one stays. */
export async function startMeasured(
  { clusterOf, pidOf, stop }: BenchEnvironment,
  server: Server,
): Promise<Started> {
  const times: number[] = [];
  for (let count = 0; ; count += 1) {
    const { url, milliseconds } = await startOnce(server);
    if (count > 0) times.push(milliseconds);
    if (count < starts) {
      await stop(url);
      continue;
    }
    const cluster = clusterOf(url);
    if (!cluster) throw new Failure(`${server.title} has no cluster.`);
    return { server, url, pid: pidOf(url), cluster, startMs: median(times) };
  }
}

async function startOnce(server: Server): Promise<{ url: string; milliseconds: number }> {
  const port = await freePort();
  const load = await server.load(`http://127.0.0.1:${port}`, 'plain');
  const start = performance.now();
  const url = await server.start(port);
  await sendOnce(load);
  return { url, milliseconds: performance.now() - start };
}

async function sendOnce({ method, url, headers, body = '' }: Load): Promise<void> {
  // A connection that is kept would delay the end of the server.
  const response = await fetch(url, { method, headers: { ...headers, connection: 'close' }, body });
  const text = await response.text();
  if (!response.ok) throw new Failure(`${url} responded with ${response.status}: ${text}`);
}
