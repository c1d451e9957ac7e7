/** `npm run bench`: runs the benchmarks in scripts/bench/. */

import { readdir } from 'node:fs/promises';
import { InvalidArgumentError, Option } from 'commander';
import type { BenchContext, Benchmark } from './bench/lib/context.js';
import { runBenchmarks, type RunOptions } from './bench/lib/run.js';
import { plots } from './bench/plots/run.js';
import { profile } from './bench/profile/run.js';
import { selectByName, command } from './lib/command.js';
import { Failure, runProgram } from './lib/failure.js';
import { inProject } from './lib/project.js';
import { exitOnSignals } from './lib/signals.js';

interface Options extends RunOptions {
  profile?: string;
  plots?: true;
  peers?: true;
}

const benchmarks = await findBenchmarks();
const names = (all: readonly Benchmark[]) => all.map(({ name }) => name).join(', ');

const program = command(
  'bench',
  'Measure the service. Throughput and latency mean something on an idle machine only, processor time on a busy one too.',
)
  .argument('[names...]', `which to run, out of ${names(benchmarks)}`)
  .option('--rounds <count>', 'how often each contender is measured', wholeNumber)
  .addOption(
    new Option('--machine <kind>', 'measure with idle cores only, or with busy ones only').choices([
      'free',
      'busy',
    ]),
  )
  .addOption(
    new Option(
      '--profile [request]',
      'show where a request spends its time, in Node and in PostgreSQL',
    ).preset('invoke'),
  )
  .option('--plots', `measure curves and draw them, out of ${names(plots)}`)
  .option('--json', 'print the tables as JSON')
  .option('--peers', "compare with Mastra's and VoltAgent's own servers, which it installs: 1 GB")
  .option('--write', 'write the tables to docs/performance.md')
  .action(async (wanted: string[], options: Options) => {
    const selected = options.peers ? [await peersBenchmark()] : selectBenchmarks(wanted, options);
    await runBenchmarks(selected, options);
  });

function selectBenchmarks(wanted: string[], { profile: request, plots: curves }: Options) {
  if (request !== undefined) {
    return [{ name: 'profile', run: (context: BenchContext) => profile(request, context) }];
  }
  return selectByName(curves ? plots : benchmarks, wanted, program);
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Not a positive whole number.');
  return Number(text);
}

/** Each file exports a function with its name, such as `benchHttp` in `http.ts`. */
async function findBenchmarks(): Promise<Benchmark[]> {
  const files = await readdir(inProject('scripts/bench'));
  const found = files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -3));
  return found.sort().map((name) => ({ name, run: (context) => runBenchmark(name, context) }));
}

async function runBenchmark(name: string, context: BenchContext): Promise<void> {
  const exported = `bench${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const module: unknown = await import(inProject(`scripts/bench/${name}.ts`));
  const found: unknown = Reflect.get(Object(module) as object, exported);
  if (typeof found !== 'function') {
    throw new Failure(`scripts/bench/${name}.ts exports no function ${exported}.`);
  }
  await Reflect.apply(found, undefined, [context]);
}

/** Not one of the others: it takes a gigabyte of packages, which nobody needs who does not ask for it. */
async function peersBenchmark(): Promise<Benchmark> {
  const { requireRecentNode } = await import('./bench/peers/node.js');
  await requireRecentNode();
  const { benchPeers } = await import('./bench/peers/compare.js');
  return { name: 'peers', run: benchPeers };
}

exitOnSignals();
await runProgram(() => program.parseAsync());
