/** `npm run check`: all checks before a commit, except the tests. */

import { availableParallelism } from 'node:os';
import { type Check, checks } from './check/steps.js';
import { selectByName, command } from './lib/command.js';
import { Failure, runProgram } from './lib/failure.js';
import { exitOnSignals } from './lib/signals.js';
import { plural, printResult, type Timed, timed } from './lib/terminal.js';

const program = command('check', 'Lint the contract, compare generated/, check types and style.')
  .argument('[checks...]', `which checks to run, out of ${names(checks)} (default: all)`)
  .action((chosen: string[]) => runAll(selectByName(checks, chosen, program)));

function names(all: Check[]): string {
  return all.map((check) => check.name).join(', ');
}

async function runAll(chosen: Check[]): Promise<void> {
  const results = startAll(chosen, availableParallelism());
  let failed = 0;
  for (const [index, check] of chosen.entries()) {
    const result = await results[index];
    if (result === undefined) continue;
    if ('error' in result) throw result.error;
    const { value: problem, milliseconds } = result;
    if (problem === undefined) {
      printResult(check.title, 'ok', milliseconds, 'green');
    } else {
      failed += 1;
      printResult(check.title, 'failed', milliseconds, 'red');
      console.log(`\n${problem}\n`);
    }
  }
  if (failed > 0) throw new Failure(`${plural(failed, 'check')} failed.`);
}

/** Starts the checks in order, at most `concurrency` at a time. */
function startAll(all: Check[], concurrency: number): Promise<Timed<string | undefined>>[] {
  const running = new Set<Promise<unknown>>();
  let previous: Promise<unknown> = Promise.resolve();
  return all.map((check) => {
    const start = previous.then(async () => {
      if (running.size >= concurrency) await Promise.race(running);
      const run = timed(check.run);
      running.add(run);
      void run.then(() => running.delete(run));
      return { run };
    });
    previous = start;
    return start.then(({ run }) => run);
  });
}

exitOnSignals();
await runProgram(() => program.parseAsync());
