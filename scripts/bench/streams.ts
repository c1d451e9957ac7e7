/** Streams of an agent of one's own: how soon the first delta comes, how late each one is, and how many there are in a second. */
import type { BenchContext } from './lib/context.js';
import { type BenchEnvironment, withEnvironment } from './lib/environment.js';
import { invoke } from './lib/loads.js';
import { remote } from './lib/remote.js';
import { median } from './lib/statistics.js';
import { figure, type Table } from './lib/table.js';
import { targets } from './lib/targets.js';
import { newTenant } from './lib/tenant.js';
import type { StreamLoad, StreamResult } from './streams/client.js';
import type { Script } from './streams/timestamps.js';

/** An account may have 500 invocations at a time, so that 500 streams are of several. */
const accounts = 5;
const deltas = 50;

interface Case {
  title: string;
  streams: number;
  /** Otherwise they begin one after another in half the time that a stream takes. */
  atOnce?: true;
}

const cases: Case[] = [
  { title: '1 stream', streams: 1 },
  { title: '32 streams', streams: 32 },
  { title: '500 streams', streams: 500 },
  { title: '500 streams begun at once', streams: 500, atOnce: true },
];

const openStreams = remote('scripts/bench/streams/client.ts');

interface Measured extends StreamResult {
  /** Microseconds for each delta. */
  nodeCpu: number;
}

export async function benchStreams({ rounds = 3, report }: BenchContext): Promise<void> {
  await withEnvironment(async (environment) => {
    const model = await environment.start(['scripts/bench/streams/model.ts']);
    const url = await environment.startService({ ALLOW_PRIVATE_TARGETS: 'true' });
    const bursts = { url, model, rounds, everyMs: 0, generations: 4 };
    await measure(environment, { ...bursts, generations: 10 }, { streams: 32, spreadMs: 0 });
    const paced = { ...bursts, everyMs: 100, generations: 1 };
    report(await measureAll(environment, paced, 'a delta every 100 ms'));
    report(await measureAll(environment, bursts, 'deltas as fast as the model can send'));
  });
}

interface Options {
  url: string;
  /** The URL of the model. */
  model: string;
  rounds: number;
  everyMs: number;
  /** How many streams follow each other in each place. */
  generations: number;
}

async function measureAll(
  environment: BenchEnvironment,
  options: Options,
  pace: string,
): Promise<Table> {
  const { everyMs, rounds, generations } = options;
  const rows: Table['rows'] = [];
  // Without a pace all of them are begun at once.
  for (const { title, streams, atOnce } of cases.filter((one) => everyMs > 0 || !one.atOnce)) {
    const spreadMs = atOnce ? 0 : (deltas * everyMs) / 2;
    const results: Measured[] = [];
    for (let round = 0; round < rounds; round += 1) {
      results.push(await measure(environment, options, { streams, spreadMs }));
    }
    const of = (value: (result: Measured) => number) => median(results.map(value));
    rows.push({
      title,
      figures: [
        figure(
          of(({ first }) => first.p50),
          1,
        ),
        figure(
          of(({ first }) => first.p99),
          1,
        ),
        figure(
          of(({ lateness }) => lateness.p50),
          1,
        ),
        figure(
          of(({ lateness }) => lateness.p99),
          1,
          // A model that sends all at once keeps nobody waiting for the next word.
          everyMs > 0 && streams === 500 ? targets.streams.latenessMs : undefined,
        ),
        figure(
          of(({ deltasPerSecond }) => deltasPerSecond),
          0,
        ),
        figure(
          of(({ nodeCpu }) => nodeCpu),
          0,
        ),
      ],
    });
  }
  return {
    title: `Streams of ${deltas} deltas, ${pace}`,
    note: `${generations === 1 ? 'one stream' : `${generations} streams after each other`} in each place, medians of ${rounds} rounds`,
    columns: [
      'first delta p50 ms',
      'p99 ms',
      'late p50 ms',
      'p99 ms',
      'deltas a second',
      'Node µs for each',
    ],
    rows,
  };
}

async function measure(
  { database, secrets, processorTimes }: BenchEnvironment,
  { url, model, everyMs, generations }: Options,
  load: Pick<StreamLoad, 'streams' | 'spreadMs'>,
): Promise<Measured> {
  const script: Script = { deltas, everyMs };
  const requests: StreamLoad['requests'] = [];
  for (let count = 0; count < accounts; count += 1) {
    const agent = { model: 'http/timestamps', endpoint: { url: model } };
    const tenant = await newTenant(database, secrets, { agent });
    const { headers, ...request } = invoke(url, tenant, JSON.stringify(script));
    requests.push({ ...request, headers: { ...headers, accept: 'text/event-stream' } });
  }
  const before = await processorTimes(url);
  const all: StreamLoad = { ...load, requests, generations, deltas };
  const result = (await openStreams(all)) as StreamResult;
  const after = await processorTimes(url);
  return { ...result, nodeCpu: ((after.node - before.node) / result.deltas) * 1e6 };
}
