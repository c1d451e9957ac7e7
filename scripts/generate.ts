/** `npm run generate`: derives everything in generated/ and client/src/generated/ from the contract and the database schema. */

import path from 'node:path';
import { Option } from 'commander';
import { generate, inOneFolder, inPlace, steps } from './generate/run.js';
import { chosenFrom, command } from './lib/command.js';
import { runProgram } from './lib/failure.js';
import { inProject } from './lib/project.js';
import { exitOnSignals } from './lib/signals.js';
import { printLine } from './lib/terminal.js';

function folder(flags: string, description: string, name: string): Option {
  return new Option(flags, description).default(inProject(name), `${name}/`);
}

const names = steps.map((step) => step.name);

const program = command('generate', 'Derive everything that is generated from spec/ and prisma/.')
  .addOption(folder('--spec <dir>', 'folder of the contract', 'spec'))
  .option('--out <dir>', 'folder to write to, the client into client/ there (default: in place)')
  .argument('[steps...]', `which steps to run, out of ${names.join(', ')} (default: all)`)
  .action(async (chosen: string[], options: { spec: string; out?: string }) => {
    await generate({
      spec: path.resolve(options.spec),
      ...(options.out === undefined ? inPlace : inOneFolder(path.resolve(options.out))),
      report: printLine,
      steps: chosenFrom(steps, chosen, program),
    });
  });

exitOnSignals();
await runProgram(() => program.parseAsync());
