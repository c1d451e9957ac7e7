/** Streams of an HTTP agent: the latency of the first delta, and throughput with many concurrent streams. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { inProject } from '../lib/project.js';
import { type Tenant, withInstallation } from './lib/installation.js';
import { type BenchContext, figure, type Figure } from './lib/report.js';
import { invoke } from './lib/requests.js';
import { median, percentile } from './lib/statistics.js';
import type { Script } from './servers/model.js';
import type { StreamLoad, StreamTimes } from './streams/client.js';

/** An account may have 500 concurrent invocations, so the streams are spread over several accounts. */
const accounts = 5;
const deltas = 50;

const cases = {
  '1 stream': { streams: 1, everyMs: 100 },
  '500 streams': { streams: 500, everyMs: 100 },
  '100 streams without a pause': { streams: 100, everyMs: 0 },
};

export function benchStreams({ rounds, progress }: BenchContext): Promise<Figure[]> {
  return withInstallation(async ({ start, newTenant }) => {
    const model = await start({}, ['scripts/bench/servers/model.ts']);
    const { url } = await start({ ALLOW_PRIVATE_TARGETS: 'true' });
    const manifest = { model: 'http/times', endpoint: { url: model.url } };
    const tenants: Tenant[] = [];
    for (let n = 0; n < accounts; n += 1) tenants.push(await newTenant({ manifest }));
    const stream = ({ streams, everyMs }: { streams: number; everyMs: number }) => {
      const script: Script = { deltas, everyMs };
      const send = tenants.map((tenant) => invoke(tenant, { message: JSON.stringify(script) }));
      return openStreams({ url, send, streams, spreadMs: (deltas * everyMs) / 2 });
    };
    progress('warm-up');
    await stream({ streams: 100, everyMs: 0 });
    const figures: Figure[] = [];
    for (const [title, options] of Object.entries(cases)) {
      const results: StreamTimes[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        progress(`${title}, round ${round} of ${rounds}`);
        results.push(await stream(options));
      }
      const first = (share: number) =>
        median(results.map((times) => percentile(times.first, share)));
      const perSecond = results.map(({ total }) => ((options.streams * deltas) / total) * 1000);
      figures.push(
        figure(`${title}: first delta, p50`, first(0.5), 'ms'),
        figure(`${title}: first delta, p99`, first(0.99), 'ms'),
        figure(`${title}: deltas`, median(perSecond), 'a second'),
      );
    }
    return figures;
  });
}

async function openStreams(load: StreamLoad): Promise<StreamTimes> {
  const client = fork(inProject('scripts/bench/streams/client.ts'), {
    execArgv: ['--import', 'tsx'],
  });
  client.send(load);
  const ended = once(client, 'exit').then(() => {
    throw new Error('The stream client ended early.');
  });
  const [times] = (await Promise.race([once(client, 'message'), ended])) as [StreamTimes];
  return times;
}
