/** The server as plain JavaScript, built once for a test run: its programs start in half the time. */
import { copyFile, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../scripts/lib/child.js';
import { root } from '../../scripts/lib/project.js';
import { onceInRun } from './run/folder.js';

/** Of the tests' own: what they import natively, and what they start as a process. */
const helpers = ['test/helpers/contract-check.ts', 'test/helpers/embedded-program.ts'];

/** What is read when the server runs. */
const files = [
  'package.json',
  'generated/openapi.json',
  'generated/openapi.yaml',
  'generated/agent-manifest.schema.json',
];

const folders = ['node_modules', 'prisma', 'dist'];

/** The folder of the build, with everything in it where it is in the project. */
export function builtProject(): Promise<string> {
  return onceInRun('project', async (folder) => {
    const sources = (await Promise.all(['server', 'generated'].map(sourcesIn))).flat();
    const { code, stderr } = await run(path.join(root, 'node_modules/esbuild/bin/esbuild'), [
      ...sources,
      ...helpers,
      `--outdir=${folder}`,
      '--outbase=.',
      '--format=esm',
      '--platform=node',
      '--log-level=warning',
    ]);
    if (code !== 0) throw new Error(`The project could not be built:\n${stderr}`);
    for (const file of files) await copyFile(path.join(root, file), path.join(folder, file));
    for (const name of folders) await symlink(path.join(root, name), path.join(folder, name));
  });
}

async function sourcesIn(folder: string): Promise<string[]> {
  const names = await readdir(path.join(root, folder), { recursive: true });
  return names.filter((name) => name.endsWith('.ts')).map((name) => path.join(folder, name));
}
