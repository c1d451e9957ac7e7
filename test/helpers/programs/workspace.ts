/** Temporary folders and copies of the project, in which a test may change files and run the project's commands. */

import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from '@jest/globals';
import { type Outcome, runNode } from '../../../scripts/lib/child.js';
import { root } from '../../../scripts/lib/project.js';

export { root };

const made: string[] = [];

afterAll(async () => {
  await Promise.all(made.map((folder) => rm(folder, { recursive: true, force: true })));
});

/** An empty folder that is removed after the tests of the file. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-hosting-test-'));
  made.push(folder);
  return folder;
}

/** A copy of the contract folder only. */
export async function specCopy(): Promise<string> {
  const folder = path.join(await temporaryFolder(), 'spec');
  await cp(path.join(root, 'spec'), folder, { recursive: true });
  return folder;
}

/** A copy of the project without its history and tests; the dependencies are shared. */
export async function projectCopy(): Promise<string> {
  const folder = await temporaryFolder();
  const leftOut = ['.git', 'node_modules', 'dist', 'data', 'coverage', 'test'];
  await cp(root, folder, {
    recursive: true,
    filter: (source) => !leftOut.includes(path.relative(root, source).split(path.sep)[0] ?? ''),
  });
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
  return folder;
}

/** Changes a file, and fails if the change has no effect, since such a case would prove nothing. */
export async function edit(file: string, change: (text: string) => string): Promise<void> {
  const before = await readFile(file, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`The edit leaves ${file} as it was; fix the test.`);
  await writeFile(file, after);
}

/** Runs one of the project's commands like npm, in the project itself or in a copy of it. */
export function runScript(name: string, args: string[], cwd = root): Promise<Outcome> {
  return runNode(['--import', 'tsx', `scripts/${name}.ts`, ...args], { cwd });
}
