/** The project as plain JavaScript in a temporary folder: its programs start in half the time. */
import { chmod, cp, readdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../scripts/lib/child.js';
import { root, temporaryFolder } from './workspace.js';

let building: Promise<string> | undefined;

/** Built once for each test file; gone after it. */
export function builtProject(): Promise<string> {
  return (building ??= build());
}

async function build(): Promise<string> {
  const folder = await temporaryFolder();
  // For programs that run as another user.
  await chmod(folder, 0o755);
  const sources = (await Promise.all(['server', 'generated'].map(sourcesIn))).flat();
  const { code, stderr } = await run(path.join(root, 'node_modules/esbuild/bin/esbuild'), [
    ...sources,
    `--outdir=${folder}`,
    '--outbase=.',
    '--format=esm',
    '--platform=node',
    '--log-level=warning',
  ]);
  if (code !== 0) throw new Error(`The project could not be built:\n${stderr}`);
  const files = ['package.json', 'generated/openapi.json', 'generated/openapi.yaml'];
  for (const file of [...files, 'generated/agent-manifest.schema.json']) {
    await cp(path.join(root, file), path.join(folder, file));
  }
  for (const name of ['node_modules', 'prisma', 'dist']) {
    await symlink(path.join(root, name), path.join(folder, name));
  }
  return folder;
}

async function sourcesIn(folder: string): Promise<string[]> {
  const names = await readdir(path.join(root, folder), { recursive: true });
  return names.filter((name) => name.endsWith('.ts')).map((name) => path.join(folder, name));
}
