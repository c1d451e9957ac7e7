/** The load generator process: runs the loads that its parent sends, and exits with its parent. */
import { randomUUID } from 'node:crypto';
import autocannon, { type Client, type Options } from 'autocannon';
import type { Load, LoadReport } from './load.js';
import { percentile } from './statistics.js';

const requestsPerId = 10;

function execute(load: Load): Promise<LoadReport> {
  const requests = load.send.map(({ method, path, headers, body }) => ({
    method,
    path,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  }));
  const options: Options = {
    url: load.url,
    connections: load.connections,
    ...('seconds' in load ? { duration: load.seconds } : { amount: load.requests }),
    requests,
    sampleInt: 100,
    timeout: 60,
    idReplacement: load.ids === 'each',
    ...(load.ids === 'tens' && { setupClient: renewId(requests[0]?.body ?? '') }),
  };
  return new Promise((resolve) => {
    const latencies: number[] = [];
    const start = performance.now();
    let last = start;
    const running = autocannon(options, (_error, { non2xx, errors, timeouts }) => {
      const milliseconds = last - start;
      resolve({
        requests: latencies.length,
        perSecond: (latencies.length / milliseconds) * 1000,
        p50: percentile(latencies, 0.5),
        p99: percentile(latencies, 0.99),
        failures: non2xx + errors + timeouts,
      });
    });
    running.on('response', (_client, _status, _bytes, responseTime) => {
      latencies.push(responseTime);
      last = performance.now();
    });
  });
}

function renewId(body: string): (client: Client) => void {
  return (client) => {
    let answered = 0;
    const renew = () => {
      client.setBody(body.replace('[<id>]', randomUUID()));
    };
    renew();
    client.on('response', () => {
      answered += 1;
      if (answered % requestsPerId === 0) renew();
    });
  };
}

process.on('message', (load: Load) => {
  void execute(load).then((report) => process.send?.(report));
});
process.once('disconnect', () => process.exit(0));
