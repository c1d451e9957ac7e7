/** `npm run build`: compiles the server to JavaScript in dist/, to run without development dependencies. */

import { rm } from 'node:fs/promises';
import { runNode } from './lib/child.js';
import { command } from './lib/command.js';
import { Failure, runProgram } from './lib/failure.js';
import { inProject, programs, displayPath } from './lib/project.js';
import { printResult } from './lib/terminal.js';

const program = command(
  'build',
  'Compile the server to plain JavaScript in dist/. Start it with: node dist/server/main.js',
)
  .option('--unchecked', 'skip type checking, which npm run check does as well')
  .action(build);

/** Keeps dist/docs, which `npm run docs` creates. */
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
  printResult(displayPath(inProject('dist/server')), 'compiled', performance.now() - start);
}

await runProgram(() => program.parseAsync());
