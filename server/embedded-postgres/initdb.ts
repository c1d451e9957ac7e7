/** Creates a new PostgreSQL cluster atomically: the directory appears complete or not at all. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { hasCode } from '../lib/errors/error-code.js';
import { createPrivateFile } from '../lib/system/private-file.js';
import { isAlive } from './postmaster.js';
import { EmbeddedPostgresError } from './problem.js';
import { launch, type RunAs, type User } from './run-as.js';

/** Each contains a password: the superuser's, and that of the role for which the cluster is created. */
export const passwordFiles = { superuser: 'superuser-password', role: 'password' } as const;

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
  const message = `initdb could not create the embedded database. ${problems.trim()}`.trim();
  if (!problems.includes('could not look up effective user ID')) throw new Error(message);
  throw new EmbeddedPostgresError('user_without_name', message);
}

async function createPasswords(directory: string, owner: User | undefined): Promise<void> {
  for (const name of Object.values(passwordFiles)) {
    const password = randomBytes(24).toString('base64url');
    await createPrivateFile(path.join(directory, name), `${password}\n`, { owner });
  }
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
