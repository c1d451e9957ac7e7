/** `npm run docs`: the documentation of the contract as one self-contained HTML file. */

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Option } from 'commander';
import { buildDocs } from './docs/build.js';
import { command } from './lib/command.js';
import { runProgram } from './lib/failure.js';
import { inProject, shown } from './lib/project.js';
import { printLine } from './lib/terminal.js';

const usual = 'dist/docs/index.html';

const options = command('docs', 'Build the documentation as one self-contained HTML file.')
  .addOption(new Option('--out <file>', 'file to write').default(inProject(usual), usual))
  .parse()
  .opts<{ out: string }>();

async function main(): Promise<void> {
  const start = performance.now();
  const html = await buildDocs(inProject('spec'));
  await mkdir(path.dirname(options.out), { recursive: true });
  await writeFile(options.out, html);
  const megabytes = (Buffer.byteLength(html) / 1e6).toFixed(1);
  printLine(
    shown(options.out),
    `${megabytes} MB, opens without a network`,
    performance.now() - start,
  );
}

await runProgram(main);
