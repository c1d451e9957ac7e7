/** The server as plain JavaScript, built once for a test run: its programs start in a fraction of the time. */
import { copyFile, mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { bundlePrograms, serverPrograms } from '../../scripts/lib/bundle.js';
import { run } from '../../scripts/lib/child.js';
import { root } from '../../scripts/lib/project.js';
import { onceInRun } from './run/folder.js';

/** What tests start as a process. */
const programs = [...serverPrograms, 'test/helpers/embedded-program.ts'];

/** What sends requests and checks answers, with all that it imports from the scripts. */
const requestHelpers = [
  'test/helpers/send-with-supertest.ts',
  'test/helpers/contract-check.ts',
  'scripts/lib/closed-contract.ts',
  'scripts/lib/json.ts',
];

/** What is read when the server runs. */
const files = [
  'package.json',
  'generated/openapi.json',
  'generated/openapi.yaml',
  'generated/agent-manifest.schema.json',
];

const folders = ['node_modules', 'prisma', 'dist'];

/** The folder of the build for imports: each module is where it is in the project. */
export function builtProject(): Promise<string> {
  return onceInRun('project', async (folder) => {
    const sources = (await Promise.all(['server', 'generated'].map(sourcesIn))).flat();
    await compile(folder, [...sources, ...requestHelpers]);
    await addFiles(folder);
  });
}

/** The folder of the programs, as they are deployed. */
export function builtPrograms(): Promise<string> {
  return onceInRun('programs', async (folder) => {
    await bundlePrograms(programs, folder);
    await addFiles(folder);
  });
}

async function compile(folder: string, sources: string[]): Promise<void> {
  const { code, stderr } = await run(path.join(root, 'node_modules/esbuild/bin/esbuild'), [
    ...sources,
    `--outdir=${folder}`,
    '--outbase=.',
    '--format=esm',
    '--platform=node',
    '--log-level=error',
  ]);
  if (code !== 0) throw new Error(`The project could not be compiled:\n${stderr}`);
}

async function addFiles(folder: string): Promise<void> {
  await mkdir(path.join(folder, 'generated'), { recursive: true });
  for (const file of files) await copyFile(path.join(root, file), path.join(folder, file));
  for (const name of folders) await symlink(path.join(root, name), path.join(folder, name));
}

async function sourcesIn(folder: string): Promise<string[]> {
  const names = await readdir(path.join(root, folder), { recursive: true });
  return names.filter((name) => name.endsWith('.ts')).map((name) => path.join(folder, name));
}
