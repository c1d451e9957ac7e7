/** Reads what a running PostgreSQL wrote about itself into its data directory, and tells a live one from a leftover. */
import { execFile } from 'node:child_process';
import { readFile, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../../lib/error-code.js';

export interface Postmaster {
  pid: number;
  port: number;
  status: 'starting' | 'ready' | 'stopping';
}

export function postmasterFile(pgdata: string): string {
  return path.join(pgdata, 'postmaster.pid');
}

/** Undefined: no file, or one that is being written or removed at this moment. */
export async function readPostmaster(pgdata: string): Promise<Postmaster | undefined> {
  const text = await readFile(postmasterFile(pgdata), 'utf8').catch(() => '');
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const word = lines[7];
  const status = word === 'ready' || word === 'stopping' ? word : 'starting';
  return { pid, port: Number(lines[3] ?? 0), status };
}

/**
 * Whether that process is a PostgreSQL on this directory. After a crash, and above all after the restart of a container,
 * the number in the file may belong to any other process.
 */
export async function isServing(pid: number, pgdata: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  return process.platform === 'linux' ? isServingLinux(pid, pgdata) : isNamedPostgres(pid);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

async function isServingLinux(pid: number, pgdata: string): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const isDead = /^State:\s+[ZX]/m.test(status);
  if (isDead || !/^Name:\s+postgres$/m.test(status)) return false;
  const workingDirectory = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  // Unreadable means that it is another user's: better to believe it than to start a second one beside it.
  return workingDirectory === undefined || workingDirectory === (await realpath(pgdata));
}

async function isNamedPostgres(pid: number): Promise<boolean> {
  const found = await promisify(execFile)('ps', ['-o', 'comm=', '-p', String(pid)]).catch(
    () => undefined,
  );
  return found !== undefined && path.basename(found.stdout.trim()) === 'postgres';
}
