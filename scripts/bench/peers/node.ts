/** The Node on which all servers are compared: Mastra wants 22.13 or later, which is more than this project does. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Failure } from '../../lib/failure.js';
import { root } from '../../lib/project.js';
import { install, projectPath } from './install.js';

const required = { major: 22, minor: 13 };

export function isRecentEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > required.major || (major === required.major && minor >= required.minor);
}

/** Runs this same command with a Node from the package registry, and ends as that ends, unless this one will do. */
export async function requireRecentNode(): Promise<void> {
  if (isRecentEnough(process.versions.node)) return;
  const args = ['--import', 'tsx', ...process.argv.slice(1)];
  const child = spawn(await installedNode(), args, { cwd: root, stdio: 'inherit' });
  process.once('exit', () => child.kill());
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exit(code ?? 1);
}

async function installedNode(): Promise<string> {
  const { platform, arch, versions } = process;
  const { major, minor } = required;
  // Nothing else counts processor time.
  if (platform !== 'linux') {
    throw new Failure(
      `Mastra wants Node ${major}.${minor} or later, and this is ${versions.node}.`,
    );
  }
  const provides = `node/node_modules/node-linux-${arch}/bin/node`;
  await install({ title: 'a later Node', folder: 'node', provides });
  return projectPath(provides);
}
