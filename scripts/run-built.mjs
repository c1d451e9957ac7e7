/**
 * Runs a program of the server from dist/, and builds it first if a source is newer. This starts in a third of the time of the
 * sources, which must be compiled and loaded file by file.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [, , name = '', ...args] = process.argv;
const program = path.join(root, 'dist/server', `${name}.js`);

if (
  newest(['server', 'client/cli', 'client/src', 'generated', 'package-lock.json']) > timeOf(program)
) {
  const build = path.join(root, 'scripts/build.ts');
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', build, '--unchecked'], {
    cwd: root,
    // Standard output is reserved for the program.
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
}
process.argv = [process.execPath, program, ...args];
await import(pathToFileURL(program).href);

/** @param {string[]} paths */
function newest(paths) {
  return Math.max(...paths.map((name) => newestIn(path.join(root, name))));
}

/** @param {string} fileOrFolder @returns {number} */
function newestIn(fileOrFolder) {
  const found = statSync(fileOrFolder, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found?.mtimeMs ?? 0;
  const inside = readdirSync(fileOrFolder).map((entry) => newestIn(path.join(fileOrFolder, entry)));
  return Math.max(found.mtimeMs, ...inside);
}

/** @param {string} file */
function timeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
