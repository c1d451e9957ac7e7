/** `npm run console:shots`: takes screenshots of every page of the console, light and dark, wide and narrow. */

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Option } from 'commander';
import { startDemo } from './console/demo.js';
import { takeShots } from './console/shots.js';
import { startChromium } from './lib/chromium.js';
import { command } from './lib/command.js';
import { runProgram } from './lib/failure.js';
import { displayPath, inProject } from './lib/project.js';
import { printResult } from './lib/terminal.js';

const defaultOutput = 'dist/console-shots';

const options = command('console:shots', 'Take screenshots of every page of the console.')
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
  const folder = path.resolve(options.out);
  await mkdir(folder, { recursive: true });
  const browser = await startChromium();
  try {
    const demo = await startDemo();
    try {
      const shots = await takeShots(browser, demo, folder);
      printResult(displayPath(folder), `${shots} screenshots`, performance.now() - start);
    } finally {
      await demo.stop();
    }
  } finally {
    await browser.close();
  }
}

await runProgram(main);
