/** Installs the projects of the peers where they are, when they are first needed and whenever they change. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../lib/child.js';
import { Failure } from '../../lib/failure.js';
import { inProject } from '../../lib/project.js';

export interface PeerProject {
  title: string;
  /** In projects/. */
  folder: string;
  /** The file, in projects/, that is there once it is installed. */
  provides: string;
  /** What to run after the installation, in the folder, and the files that it reads. */
  build?: { program: string; args: string[]; reads: string[] };
}

export function projectPath(...parts: string[]): string {
  return inProject('scripts/bench/peers/projects', ...parts);
}

/** Of the programs that are run here: documented switches against calling home. */
const variables = { MASTRA_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' };

export async function install({ title, folder, provides, build }: PeerProject): Promise<void> {
  const cwd = projectPath(folder);
  const reads = ['package-lock.json', ...(build?.reads ?? [])];
  const wanted = await digestOf(reads.map((file) => path.join(cwd, file)));
  const stamp = path.join(cwd, 'node_modules', '.installed');
  const isThere = () => existsSync(projectPath(provides));
  if (isThere() && (await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;
  // Packages come as they are: none of these needs its install script.
  const npm = ['ci', '--ignore-scripts', '--loglevel=error', '--fetch-retries=1'];
  await execute(`install ${title}`, cwd, 'npm', npm);
  if (build) await execute(`build ${title}`, cwd, path.join(cwd, build.program), build.args);
  if (!isThere()) throw new Failure(`Could not install ${title}: the registry did not give it.`);
  await writeFile(stamp, wanted);
}

async function execute(what: string, cwd: string, program: string, args: string[]): Promise<void> {
  // Standard output is for the figures.
  console.error(`To ${what}, with packages of the registry …`);
  // Programs that begin with `env node` run with the same Node as this one.
  const PATH = [path.dirname(process.execPath), process.env['PATH'] ?? ''].join(path.delimiter);
  const { code, stdout, stderr } = await run(program, args, { cwd, env: { ...variables, PATH } });
  if (code === 0) return;
  const output = `${stdout}\n${stderr}`.trim().split('\n').slice(-15).join('\n');
  throw new Failure(`Could not ${what}. The package registry must be in reach:\n${output}`);
}

async function digestOf(files: string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(await readFile(file));
  return hash.digest('hex');
}
