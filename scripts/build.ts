/** `npm run build`: bundles the server into dist/server, where it runs without development dependencies. */

import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { bundlePrograms, serverPrograms } from './lib/bundle.js';
import { runNode } from './lib/child.js';
import { command } from './lib/command.js';
import { Failure, runProgram } from './lib/failure.js';
import { displayPath, inProject, programs } from './lib/project.js';
import { printResult } from './lib/terminal.js';

const program = command(
  'build',
  'Bundle the server as plain JavaScript in dist/server. Start it with: node dist/server/main.js',
)
  .option('--unchecked', 'skip type checking, which npm run check does as well')
  .action(build);

const service = 'server/main.ts';

async function build({ unchecked }: { unchecked?: true }): Promise<void> {
  const start = performance.now();
  if (!unchecked) await checkTypes();
  const dist = inProject('dist');
  await mkdir(dist, { recursive: true });
  const scratch = await mkdtemp(path.join(dist, '.build-'));
  try {
    // The service is bundled separately, since sharing code with other programs would split it into more files.
    const others = serverPrograms.filter((one) => one !== service);
    await Promise.all([[service], others].map((group) => bundlePrograms(group, scratch)));
    // Swapped by rename, so that a service that starts meanwhile finds a complete build.
    await rename(path.join(dist, 'server'), path.join(scratch, 'replaced')).catch(() => undefined);
    await rename(path.join(scratch, 'server'), path.join(dist, 'server'));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  printResult(displayPath(path.join(dist, 'server')), 'built', performance.now() - start);
}

async function checkTypes(): Promise<void> {
  const { code, stdout, stderr } = await runNode([programs.tsc, '--noEmit']);
  if (code !== 0) throw new Failure(`${stdout}${stderr}`.trim());
}

await runProgram(() => program.parseAsync());
