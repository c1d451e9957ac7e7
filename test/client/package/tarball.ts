/** Packs the package for publishing, from a copy, so that the project is not changed. */
import { copyFile, cp, symlink } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../../scripts/lib/child.js';
import { root, temporaryFolder } from '../../helpers/programs/workspace.js';

export interface Tarball {
  file: string;
  contents: { path: string; size: number; mode: number }[];
}

/** Builds the package with its own prepack script, and packs it. */
export async function packClient(): Promise<Tarball> {
  const project = await temporaryFolder();
  const client = path.join(project, 'client');
  await cp(path.join(root, 'client'), client, {
    recursive: true,
    filter: (source) => path.basename(source) !== 'dist',
  });
  await copyFile(path.join(root, 'tsconfig.json'), path.join(project, 'tsconfig.json'));
  await symlink(path.join(root, 'node_modules'), path.join(project, 'node_modules'), 'dir');
  const [tarball] = await pack([], client);
  if (!tarball) throw new Error('Nothing was packed.');
  return tarball;
}

/** Packs installed dependencies, so that installing them elsewhere needs no registry. */
export function packDependencies(names: string[]): Promise<Tarball[]> {
  const folders = names.map((name) => path.join(root, 'node_modules', name));
  return pack(['--ignore-scripts', ...folders], root);
}

async function pack(args: string[], cwd: string): Promise<Tarball[]> {
  const out = await temporaryFolder();
  const packed = await npm(['pack', '--json', '--pack-destination', out, ...args], cwd);
  const [, list = '[]'] = /^(\[\n[^]*^\])$/m.exec(packed) ?? [];
  const found = JSON.parse(list) as { filename: string; files: Tarball['contents'] }[];
  return found.map(({ filename, files }) => ({
    file: path.join(out, filename),
    contents: files,
  }));
}

/** Resolves to the output. Never contacts a registry. */
export async function npm(args: string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await run('npm', [...args, '--offline', '--no-audit'], { cwd });
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout + stderr;
}
