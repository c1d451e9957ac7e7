/** `npm run bench`: runs the benchmarks in scripts/bench/. */

import { readdir } from 'node:fs/promises';
import { InvalidArgumentError, Option } from 'commander';
import type { BenchContext, Machine } from './bench/lib/context.js';
import { describeMachine, watchOthers } from './bench/lib/machine.js';
import { type Table, terminalTable } from './bench/lib/table.js';
import { profile } from './bench/profile/run.js';
import { selectByName, command } from './lib/command.js';
import { Failure, runProgram } from './lib/failure.js';
import { inProject } from './lib/project.js';
import { exitOnSignals } from './lib/signals.js';
import { paint } from './lib/terminal.js';

interface Benchmark {
  name: string;
  run: (context: BenchContext) => Promise<void>;
}

interface Options {
  profile?: string | true;
  rounds?: number;
  machine?: Machine;
  json?: true;
  peers?: true;
}

const benchmarks = await findBenchmarks();

const program = command(
  'bench',
  'Measure the service. Throughput and latency are meaningful on an idle machine only, processor time on others too.',
)
  .argument('[names...]', `which to run, out of ${benchmarks.map(({ name }) => name).join(', ')}`)
  .option('--rounds <count>', 'how often each contender is measured', wholeNumber)
  .addOption(
    new Option('--machine <kind>', 'on a free machine only, or with all cores busy').choices([
      'free',
      'busy',
    ]),
  )
  .option(
    '--profile [request]',
    'show where a request spends its time, in Node and in PostgreSQL (default: invoke)',
  )
  .option('--json', 'print the tables as JSON')
  .option('--peers', "compare with Mastra's and VoltAgent's own servers, which it installs: 1 GB")
  .action(runBenchmarks);

async function runBenchmarks(names: string[], options: Options): Promise<void> {
  const { rounds, machine, json, peers } = options;
  const selected = peers ? [await peersBenchmark()] : selectBenchmarks(names, options);
  const results: { benchmark: string; machine: string; others: number; tables: Table[] }[] = [];
  const described = await describeMachine();
  const print = (text: string) => {
    if (!json) console.log(text);
  };
  print(described);
  for (const { name, run } of selected) {
    print(paint('bold', `\n${name}`));
    const tables: Table[] = [];
    const others = await watchOthers();
    const report = (table: Table) => {
      tables.push(table);
      print(`${terminalTable(table)}\n`);
    };
    await run({ rounds, machines: machine ? [machine] : ['free', 'busy'], report });
    const share = await others();
    print(`Other programs used ${(share * 100).toFixed(0)} % of the machine meanwhile.`);
    results.push({ benchmark: name, machine: described, others: share, tables });
  }
  if (json) console.log(JSON.stringify(results, undefined, 2));
}

function selectBenchmarks(names: string[], { profile: request }: Options): Benchmark[] {
  if (request === undefined) return selectByName(benchmarks, names, program);
  const subject = request === true ? 'invoke' : request;
  return [{ name: 'profile', run: (context) => profile(subject, context) }];
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Not a positive whole number.');
  return Number(text);
}

/** Each file exports a function with its name, such as `benchHttp` in `http.ts`. */
async function findBenchmarks(): Promise<Benchmark[]> {
  const files = await readdir(inProject('scripts/bench'));
  const names = files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -3));
  return names.sort().map((name) => ({ name, run: (context) => runBenchmark(name, context) }));
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
