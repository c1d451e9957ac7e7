/** Creates a new PostgreSQL cluster atomically: the directory appears complete or not at all. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { hasCode, messageOf } from '../../lib/error-code.js';
import { isAlive } from './postmaster.js';
import type { RunAs } from './run-as.js';

export interface NewCluster {
  /** The directory to create; its parent exists. */
  directory: string;
  initdb: string;
  superuser: string;
  runAs: RunAs;
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
  const passwordFile = path.join(staging, 'password');
  await mkdir(staging, { mode: 0o700 });
  await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  if (runAs.user !== undefined) {
    await chown(staging, runAs.user.uid, runAs.user.gid);
    await chown(passwordFile, runAs.user.uid, runAs.user.gid);
  }
  const { file, args, user } = runAs.launch(initdb, [
    `--pgdata=${path.join(staging, 'data')}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    // The built-in provider needs no locale of the operating system, and sorts the same on all of them.
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...(durable ? [] : ['--no-sync']),
  ]);
  await promisify(execFile)(file, args, { ...user, cwd: '/', env: {} }).catch((cause: unknown) => {
    throw new Error(
      `initdb could not create the embedded database. ${messageOf(cause)}${advice(messageOf(cause))}`,
      { cause },
    );
  });
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
