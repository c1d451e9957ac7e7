/** Delivered events per second, their latency, and the effect of hanging receivers on healthy ones. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../server/config/config.js';
import { createLog } from '../../server/config/log.js';
import { createSecrets } from '../../server/lib/secrets.js';
import { startService } from '../../server/service.js';
import { startScratchCluster } from '../db/scratch.js';
import { type DeliveryLoad, type DeliveryTiming, prepareLoad } from './deliveries/load.js';
import type { Arrival, ReceiverUrls } from './deliveries/receivers.js';
import type { BenchContext } from './lib/context.js';
import { openBenchDatabase } from './lib/database.js';
import { percentile } from './lib/statistics.js';
import { figure, type Table } from './lib/table.js';
import { targets } from './lib/targets.js';

const masterKey = Buffer.alloc(32, 1);
const receiversPerKind = 50;

/** The service runs in this process, with its delivery worker; the receivers run in another. */
export async function benchDeliveries({ report }: BenchContext): Promise<void> {
  const cluster = await startScratchCluster({ durable: true });
  const receivers = await startReceivers();
  const service = await startService(
    loadConfig({
      DATABASE_URL: cluster.url,
      SECRETS_KEY: masterKey.toString('base64'),
      ALLOW_PRIVATE_TARGETS: 'true',
      // All receivers are on this machine.
      WEBHOOK_HOST_CONCURRENCY: '10000',
      PORT: '0',
      LOG_LEVEL: 'error',
    }),
    createLog('error'),
  );
  const database = await openBenchDatabase(cluster.url, 5);
  try {
    const load = await prepareLoad(database, createSecrets(masterKey), receivers.arrivals);
    const healthy: string[] = [];
    const hanging: string[] = [];
    for (const url of receivers.healthy) healthy.push(await load.register(url));
    for (const url of receivers.hanging) hanging.push(await load.register(url));
    report(await measure(load, healthy, hanging));
  } finally {
    await service.stop();
    await database.close();
    receivers.stop();
    await cluster.stop();
  }
}

async function measure(load: DeliveryLoad, healthy: string[], hanging: string[]): Promise<Table> {
  const one = healthy.slice(0, 1);
  const repeat = (count: number) => Array.from({ length: count }, () => one).flat();
  const deliver = async (webhookIds: string[]) =>
    load.waitForArrival(await load.commit(webhookIds));

  await deliver(repeat(500));
  const perSecond = throughput(await deliver(repeat(5_000)));

  const idle: DeliveryTiming[] = [];
  for (let n = 0; n < 300; n += 1) {
    idle.push(...(await deliver(healthy.slice(n % healthy.length).slice(0, 1))));
    await delay(10);
  }
  // In alternation, so that other work on the machine affects both equally.
  const alone: DeliveryTiming[] = [];
  const withHanging: DeliveryTiming[] = [];
  for (let round = 0; round < 2; round += 1) {
    alone.push(...(await deliverInRounds(load, healthy, [])));
    // More than a claim scans, so that deliveries to hanging receivers come first in the queue.
    for (let n = 0; n < 20; n += 1) await load.commit(hanging);
    await delay(1_000);
    withHanging.push(...(await deliverInRounds(load, healthy, hanging)));
    await load.discard(hanging);
  }
  const slowdown = latency(withHanging, 0.99) / latency(alone, 0.99);
  const { deliveries } = targets;
  const row = (
    title: string,
    timings: DeliveryTiming[],
    goals: Partial<typeof deliveries> = {},
  ) => ({
    title,
    figures: [
      undefined,
      figure(latency(timings, 0.5), 1, goals.p50),
      figure(latency(timings, 0.99), 1, goals.p99),
    ],
  });
  const hung = row(`the same with ${hanging.length} hanging receivers`, withHanging);
  return {
    title: 'Deliveries',
    note: 'from the commit of an event to the first byte at its receiver',
    columns: ['a second', 'p50 ms', 'p99 ms', 'p99 ratio'],
    rows: [
      {
        title: 'one healthy receiver, 5,000 events',
        figures: [figure(perSecond, 0, deliveries.perSecond)],
      },
      row('one event at a time', idle, deliveries),
      row(`${healthy.length} healthy receivers`, alone),
      { ...hung, figures: [...hung.figures, figure(slowdown, 2, deliveries.slowdown)] },
    ],
  };
}

/** Five rounds a second for six seconds, each with one event per receiver. */
async function deliverInRounds(
  load: DeliveryLoad,
  healthy: string[],
  hanging: string[],
): Promise<DeliveryTiming[]> {
  const rounds: Promise<DeliveryTiming[]>[] = [];
  for (let round = 0; round < 30; round += 1) {
    if (hanging.length > 0) await load.commit(hanging);
    rounds.push(load.commit(healthy).then(load.waitForArrival));
    await delay(200);
  }
  return (await Promise.all(rounds)).flat();
}

interface Receivers extends ReceiverUrls {
  /** When the first byte of each event arrived. */
  arrivals: Map<string, number>;
  stop: () => void;
}

async function startReceivers(): Promise<Receivers> {
  const program = fileURLToPath(new URL('deliveries/receivers.ts', import.meta.url));
  const child = fork(program, [String(receiversPerKind)], { execArgv: ['--import', 'tsx'] });
  const [urls] = (await once(child, 'message')) as [ReceiverUrls];
  const arrivals = new Map<string, number>();
  child.on('message', (batch: Arrival[]) => {
    for (const { eventId, arrivedAt } of batch) {
      if (!arrivals.has(eventId)) arrivals.set(eventId, arrivedAt);
    }
  });
  return { ...urls, arrivals, stop: child.disconnect.bind(child) };
}

function throughput(timings: DeliveryTiming[]): number {
  const arrivals = timings.map(({ arrivedAt }) => arrivedAt);
  return (timings.length / (Math.max(...arrivals) - Math.min(...arrivals))) * 1000;
}

function latency(timings: DeliveryTiming[], share: number): number {
  return percentile(
    timings.map(({ committedAt, arrivedAt }) => arrivedAt - committedAt),
    share,
  );
}
