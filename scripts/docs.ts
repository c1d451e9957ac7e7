/** `npm run docs`: builds the API documentation as one self-contained HTML file, with the contract beside it. */

import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Option } from 'commander';
import { buildDocs } from './docs/build.js';
import { command } from './lib/command.js';
import { runProgram } from './lib/failure.js';
import { inProject, displayPath } from './lib/project.js';
import { printResult } from './lib/terminal.js';

const defaultOutput = 'dist/docs/index.html';

const options = command('docs', 'Build the documentation as one self-contained HTML file.')
  .addOption(
    new Option('--out <file>', 'file to write').default(inProject(defaultOutput), defaultOutput),
  )
  .parse()
  .opts<{ out: string }>();

async function main(): Promise<void> {
  const start = performance.now();
  const html = await buildDocs(inProject('spec'));
  const folder = path.dirname(options.out);
  await mkdir(folder, { recursive: true });
  await writeFile(options.out, html);
  // The page links to them.
  for (const contract of ['openapi.json', 'openapi.yaml']) {
    await copyFile(inProject('generated', contract), path.join(folder, contract));
  }
  const megabytes = (Buffer.byteLength(html) / 1e6).toFixed(1);
  printResult(
    displayPath(options.out),
    `${megabytes} MB, works offline`,
    performance.now() - start,
  );
}

await runProgram(main);
