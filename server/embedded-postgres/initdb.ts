/** Creates a new PostgreSQL cluster atomically: the directory appears complete or not at all. */
import { once } from 'node:events';
import { chown, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { hasCode } from '../lib/errors/error-code.js';
import { launch } from './launch.js';
import { createPasswords, passwordFiles } from './passwords.js';
import { isAlive } from './postmaster.js';
import type { RunAs } from './run-as.js';

interface NewCluster {
  /** The directory to create; its parent exists. */
  directory: string;
  initdb: string;
  superuser: string;
  runAs: RunAs | undefined;
  /** False: do not fsync, for temporary clusters. */
  durable: boolean;
}

/** Safe against a crash and against a concurrent process: the first to finish wins. */
export async function createCluster(cluster: NewCluster): Promise<void> {
  await removeStaleStaging(cluster.directory);
  const staging = `${cluster.directory}.partial-${process.pid}`;
  try {
    await runInitdb(staging, cluster);
    await rename(staging, cluster.directory);
    if (cluster.durable) await flushDirectory(path.dirname(cluster.directory));
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function runInitdb(staging: string, cluster: NewCluster): Promise<void> {
  const { initdb, superuser, runAs, durable } = cluster;
  await mkdir(staging, { mode: 0o700 });
  if (runAs !== undefined) await chown(staging, runAs.user.uid, runAs.user.gid);
  await createPasswords(staging, runAs?.user);
  const child = launch({
    file: initdb,
    directory: staging,
    args: (directory) => [
      `--pgdata=${path.join(directory, 'data')}`,
      `--username=${superuser}`,
      `--pwfile=${path.join(directory, passwordFiles.superuser)}`,
      '--auth=scram-sha-256',
      // The built-in provider needs no locale of the operating system, and sorts the same on every system.
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(durable ? [] : ['--no-sync']),
    ],
    output: 'pipe',
    runAs,
  });
  const [problems] = await Promise.all([
    child.stderr ? text(child.stderr) : '',
    child.stdout ? text(child.stdout) : '',
    once(child, 'exit'),
  ]);
  if (child.exitCode === 0) return;
  throw new Error(
    `initdb could not create the embedded database. ${problems.trim()} ${advice(problems)}`.trim(),
  );
}

function advice(message: string): string {
  return message.includes('could not look up effective user ID')
    ? 'Start the service as a user with an entry in /etc/passwd, or set DATABASE_URL.'
    : '';
}

async function removeStaleStaging(directory: string): Promise<void> {
  const prefix = `${path.basename(directory)}.partial-`;
  for (const name of await readdir(path.dirname(directory))) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number(name.slice(prefix.length));
    if (pid === process.pid || !isAlive(pid)) {
      await rm(path.join(path.dirname(directory), name), { recursive: true, force: true });
    }
  }
}

async function flushDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
