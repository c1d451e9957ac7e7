/** `npm run check`: everything that must hold before a commit, except the tests. */

import { availableParallelism } from 'node:os';
import { type Check, checks } from './check/steps.js';
import { chosenFrom, command } from './lib/command.js';
import { Failure, runProgram } from './lib/failure.js';
import { exitOnSignals } from './lib/signals.js';
import { plural, printLine, type Timed, timed } from './lib/terminal.js';

const program = command('check', 'Lint the contract, compare generated/, check types and style.')
  .argument('[checks...]', `which checks to run, out of ${names(checks)} (default: all)`)
  .action((chosen: string[]) => runAll(chosenFrom(checks, chosen, program)));

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
    const { value: complaint, milliseconds } = result;
    if (complaint === undefined) {
      printLine(check.title, 'ok', milliseconds, 'green');
    } else {
      failed += 1;
      printLine(check.title, 'failed', milliseconds, 'red');
      console.log(`\n${complaint}\n`);
    }
  }
  if (failed > 0) throw new Failure(`${plural(failed, 'check')} failed.`);
}

/** Each check starts when the one so many places before it is done, so that as many run as there are processors. */
function startAll(all: Check[], width: number): Promise<Timed<string | undefined>>[] {
  const started: Promise<Timed<string | undefined>>[] = [];
  for (const [index, check] of all.entries()) {
    const before = started[index - width] ?? Promise.resolve();
    started.push(before.then(() => timed(check.run)));
  }
  return started;
}

exitOnSignals();
await runProgram(() => program.parseAsync());
