/** `npm run bench`: runs the benchmarks in scripts/bench/. */

import { readdir } from 'node:fs/promises';
import { selectByName, command } from './lib/command.js';
import { Failure, runProgram } from './lib/failure.js';
import { inProject } from './lib/project.js';
import { exitOnSignals } from './lib/signals.js';
import { paint } from './lib/terminal.js';

interface Benchmark {
  name: string;
  run: () => Promise<void>;
}

const benchmarks = await findBenchmarks();

const program = command(
  'bench',
  'Measure the service. The results are meaningful on an idle machine only.',
)
  .argument('[names...]', `which to run, out of ${benchmarks.map(({ name }) => name).join(', ')}`)
  .action(async (names: string[]) => {
    for (const { name, run } of selectByName(benchmarks, names, program)) {
      console.log(paint('bold', `\n${name}`));
      await run();
    }
  });

/** Each file exports a function with its name, such as `benchHttp` in `http.ts`. */
async function findBenchmarks(): Promise<Benchmark[]> {
  const files = await readdir(inProject('scripts/bench'));
  const names = files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -3));
  return names.sort().map((name) => ({ name, run: () => runBenchmark(name) }));
}

async function runBenchmark(name: string): Promise<void> {
  const exported = `bench${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const module: unknown = await import(inProject(`scripts/bench/${name}.ts`));
  const found: unknown = Reflect.get(Object(module) as object, exported);
  if (typeof found !== 'function') {
    throw new Failure(`scripts/bench/${name}.ts exports no function ${exported}.`);
  }
  await Reflect.apply(found, undefined, []);
}

exitOnSignals();
await runProgram(() => program.parseAsync());
