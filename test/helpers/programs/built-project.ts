/** The server programs, bundled once per test run as for a deployment: they start in a fraction of the time. */
import { copyFile, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { bundlePrograms, serverPrograms } from '../../../scripts/lib/bundle.js';
import { root } from '../../../scripts/lib/project.js';
import { onceInRun } from '../run/folder.js';

/** The programs that tests start as a process. */
const programs = [...serverPrograms, 'test/embedded-postgres/embedded-program.ts'];

/** The files that the server reads at run time. */
const files = [
  'package.json',
  'generated/openapi.json',
  'generated/openapi.yaml',
  'generated/agent-manifest.schema.json',
];

const folders = ['node_modules', 'prisma', 'dist'];

/** The folder of the bundled programs. */
export function builtPrograms(): Promise<string> {
  return onceInRun('programs', async (folder) => {
    await bundlePrograms(programs, folder);
    await addFiles(folder);
  });
}

async function addFiles(folder: string): Promise<void> {
  await mkdir(path.join(folder, 'generated'), { recursive: true });
  for (const file of files) await copyFile(path.join(root, file), path.join(folder, file));
  for (const name of folders) await symlink(path.join(root, name), path.join(folder, name));
}
