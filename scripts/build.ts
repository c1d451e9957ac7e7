/** `npm run build`: the server as plain JavaScript in dist/, for an installation without development dependencies. */

import { rm } from 'node:fs/promises';
import { runNode } from './lib/child.js';
import { command } from './lib/command.js';
import { Failure, runProgram } from './lib/failure.js';
import { inProject, programs, shown } from './lib/project.js';
import { printLine } from './lib/terminal.js';

const program = command(
  'build',
  'Compile the server to plain JavaScript in dist/. Start it with: node dist/server/main.js',
)
  .option('--unchecked', 'do not check types, which npm run check does as well')
  .action(build);

/** Leaves the documentation in dist/docs alone, which `npm run docs` makes. */
async function build({ unchecked }: { unchecked?: true }): Promise<void> {
  const start = performance.now();
  for (const folder of ['dist/server', 'dist/generated']) {
    await rm(inProject(folder), { recursive: true, force: true });
  }
  const { code, stdout, stderr } = await runNode([
    programs.tsc,
    '--project',
    inProject('tsconfig.build.json'),
    ...(unchecked ? ['--noCheck'] : []),
  ]);
  if (code !== 0) throw new Failure(`${stdout}${stderr}`.trim());
  printLine(shown(inProject('dist/server')), 'compiled', performance.now() - start);
}

await runProgram(() => program.parseAsync());
