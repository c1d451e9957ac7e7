/** Help is printed immediately: the command line loads very little for it. */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { builtCli } from './built-client.js';
import { startProgram } from '../helpers/programs/process.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

/** The size of the files that a program has loaded, from Node's coverage. */
async function bytesLoaded(file: string, args: string[]): Promise<number> {
  const folder = await temporaryFolder();
  const program = startProgram(file, args, { environment: { NODE_V8_COVERAGE: folder } });
  expect(await program.ended).toBe(0);
  expect(program.stdout()).toMatch(/^Usage: /);
  const [report = ''] = await readdir(folder);
  const { result } = JSON.parse(await readFile(path.join(folder, report), 'utf8')) as {
    result: { url: string }[];
  };
  const files = result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
  const sizes = files.map(async (url) => (await stat(fileURLToPath(url))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Two thirds are commander and the constraints of the contract. All commands together are six times as much. */
test('agent-hosting --help', async () => {
  expect(await bytesLoaded(await builtCli(), ['--help'])).toBeLessThan(300_000);
});
