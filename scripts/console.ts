/** `npm run console`: builds the console, which the service serves at /console. */

import path from 'node:path';
import { Option } from 'commander';
import { buildConsole } from './console/build.js';
import { command } from './lib/command.js';
import { runProgram } from './lib/failure.js';
import { displayPath, inProject } from './lib/project.js';
import { printResult } from './lib/terminal.js';

const defaultOutput = 'dist/console';

const options = command('console', 'Build the console, which the service serves at /console.')
  .addOption(
    new Option('--out <folder>', 'folder to write').default(
      inProject(defaultOutput),
      defaultOutput,
    ),
  )
  .parse()
  .opts<{ out: string }>();

async function main(): Promise<void> {
  const start = performance.now();
  const { gzipBytes } = await buildConsole(path.resolve(options.out));
  const kilobytes = (gzipBytes / 1000).toFixed(1);
  printResult(displayPath(options.out), `${kilobytes} kB gzipped`, performance.now() - start);
}

await runProgram(main);
