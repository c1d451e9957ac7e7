/** How many events are delivered in a second, how soon, and what receivers that hang do to the others. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../server/config/config.js';
import { createSecrets } from '../../server/lib/crypto.js';
import { createLog } from '../../server/config/log.js';
import { startService } from '../../server/service.js';
import { openDatabase } from '../../server/store/database.js';
import { startScratchCluster } from '../db/scratch.js';
import { type DeliveryLoad, type Journey, prepareLoad } from './deliveries/load.js';
import type { Arrival, ReceiverUrls } from './deliveries/receivers.js';

const masterKey = Buffer.alloc(32, 1);
const targets = { perSecond: 300, p50: 30, p99: 250, slowdown: 2 };
const receiversOfAKind = 50;

/** Prints the figures. The service runs in this process, with its deliveries; the receivers run in another. */
export async function benchDeliveries(): Promise<void> {
  const cluster = await startScratchCluster({ durable: true });
  const receivers = await startReceivers();
  const service = await startService(
    loadConfig({
      DATABASE_URL: cluster.url,
      SECRETS_KEY: masterKey.toString('base64'),
      ALLOW_PRIVATE_TARGETS: 'true',
      PORT: '0',
      LOG_LEVEL: 'error',
    }),
    createLog('error'),
  );
  const database = await openDatabase({
    url: cluster.url,
    poolSize: 5,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 30_000,
  });
  try {
    const load = await prepareLoad(database, createSecrets(masterKey), receivers.arrivals);
    const healthy: string[] = [];
    const hanging: string[] = [];
    for (const url of receivers.healthy) healthy.push(await load.register(url));
    for (const url of receivers.hanging) hanging.push(await load.register(url));
    await measure(load, healthy, hanging);
  } finally {
    await service.stop();
    await database.close();
    receivers.stop();
    await cluster.stop();
  }
}

async function measure(load: DeliveryLoad, healthy: string[], hanging: string[]): Promise<void> {
  const one = healthy.slice(0, 1);
  const many = (count: number) => Array.from({ length: count }, () => one).flat();
  await load.journeys(await load.commit(many(500)));
  const perSecond = rateOf(await load.journeys(await load.commit(many(5_000))));
  console.log(
    `one quick receiver: ${perSecond.toFixed(0)} a second (at least ${targets.perSecond})`,
  );

  const idle: Journey[] = [];
  for (let n = 0; n < 300; n += 1) {
    idle.push(
      ...(await load.journeys(await load.commit(healthy.slice(n % healthy.length).slice(0, 1)))),
    );
    await delay(10);
  }
  say(`idle, commit to first byte (p50 below ${targets.p50}, p99 below ${targets.p99})`, idle);

  // In turns, so that what else goes on on the machine is the same for both.
  const alone: Journey[] = [];
  const beside: Journey[] = [];
  for (let turn = 0; turn < 2; turn += 1) {
    alone.push(...(await inRounds(load, healthy, [])));
    // More than a claim looks at, so that those who wait hide the others.
    for (let n = 0; n < 20; n += 1) await load.commit(hanging);
    await delay(1_000);
    beside.push(...(await inRounds(load, healthy, hanging)));
    await load.giveUp(hanging);
  }
  say(`${healthy.length} healthy receivers`, alone);
  say(`the same beside ${hanging.length} that hang`, beside);
  const slowdown = percentile(beside, 0.99) / percentile(alone, 0.99);
  console.log(`p99 beside them ${slowdown.toFixed(2)} times as long (at most ${targets.slowdown})`);
}

/** Five rounds a second, six seconds long, of an event for every receiver. */
async function inRounds(
  load: DeliveryLoad,
  healthy: string[],
  hanging: string[],
): Promise<Journey[]> {
  const rounds: Promise<Journey[]>[] = [];
  for (let round = 0; round < 30; round += 1) {
    if (hanging.length > 0) await load.commit(hanging);
    rounds.push(load.commit(healthy).then(load.journeys));
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
  const child = fork(program, [String(receiversOfAKind)], { execArgv: ['--import', 'tsx'] });
  const [urls] = (await once(child, 'message')) as [ReceiverUrls];
  const arrivals = new Map<string, number>();
  child.on('message', (batch: Arrival[]) => {
    for (const [id, at] of batch) if (!arrivals.has(id)) arrivals.set(id, at);
  });
  return { ...urls, arrivals, stop: child.disconnect.bind(child) };
}

function rateOf(journeys: Journey[]): number {
  const arrivals = journeys.map(({ arrivedAt }) => arrivedAt);
  return (journeys.length / (Math.max(...arrivals) - Math.min(...arrivals))) * 1000;
}

function percentile(journeys: Journey[], share: number): number {
  const times = journeys.map(({ committedAt, arrivedAt }) => arrivedAt - committedAt);
  times.sort((first, second) => first - second);
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? NaN;
}

function say(what: string, journeys: Journey[]): void {
  const [p50, p99] = [percentile(journeys, 0.5), percentile(journeys, 0.99)];
  console.log(`${what}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, n ${journeys.length}`);
}
