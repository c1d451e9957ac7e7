/** The server as plain JavaScript, built once for a test run: its programs start in a fraction of the time. */
import { copyFile, mkdir, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../scripts/lib/child.js';
import { root } from '../../scripts/lib/project.js';
import { onceInRun } from './run/folder.js';

/** What tests start as a process. */
const programs = [
  'server/main.ts',
  'server/worker.ts',
  'server/operator/main.ts',
  'test/helpers/embedded-program.ts',
];

/** What checks answers, with all that it imports from the scripts. */
const contractCheck = [
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
    await build(folder, [...sources, ...contractCheck]);
  });
}

/** The folder of the programs, each with all that it imports in a few files, of which Node reads only those it needs. */
export function builtPrograms(): Promise<string> {
  return onceInRun('programs', (folder) =>
    build(folder, [
      ...programs,
      '--bundle',
      '--splitting',
      '--external:pg-native',
      // Dependencies that are CommonJS ask for Node's own modules by this function.
      `--banner:js=import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
    ]),
  );
}

async function build(folder: string, args: string[]): Promise<void> {
  const { code, stderr } = await run(path.join(root, 'node_modules/esbuild/bin/esbuild'), [
    ...args,
    `--outdir=${folder}`,
    '--outbase=.',
    '--format=esm',
    '--platform=node',
    '--log-level=error',
  ]);
  if (code !== 0) throw new Error(`The project could not be built:\n${stderr}`);
  await mkdir(path.join(folder, 'generated'), { recursive: true });
  for (const file of files) await copyFile(path.join(root, file), path.join(folder, file));
  for (const name of folders) await symlink(path.join(root, name), path.join(folder, name));
}

async function sourcesIn(folder: string): Promise<string[]> {
  const names = await readdir(path.join(root, folder), { recursive: true });
  return names.filter((name) => name.endsWith('.ts')).map((name) => path.join(folder, name));
}
