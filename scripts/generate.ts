/** `npm run generate`: generates code from the contract and the database schema, and copies files into the Helm chart. */

import path from 'node:path';
import { Option } from 'commander';
import { generate, inOneFolder, inPlace, steps } from './generate/run.js';
import { selectByName, command } from './lib/command.js';
import { runProgram } from './lib/failure.js';
import { inProject } from './lib/project.js';
import { exitOnSignals } from './lib/signals.js';
import { printResult } from './lib/terminal.js';

function folder(flags: string, description: string, name: string): Option {
  return new Option(flags, description).default(inProject(name), `${name}/`);
}

const names = steps.map((step) => step.name);

const program = command('generate', 'Generate code and schemas from spec/ and prisma/.')
  .addOption(folder('--spec <dir>', 'folder of the contract', 'spec'))
  .option('--out <dir>', 'output folder, with client/ and chart/ in it (default: in place)')
  .argument('[steps...]', `which steps to run, out of ${names.join(', ')} (default: all)`)
  .action(async (chosen: string[], options: { spec: string; out?: string }) => {
    await generate({
      spec: path.resolve(options.spec),
      ...(options.out === undefined ? inPlace : inOneFolder(path.resolve(options.out))),
      report: printResult,
      steps: selectByName(steps, chosen, program),
    });
  });

exitOnSignals();
await runProgram(() => program.parseAsync());
