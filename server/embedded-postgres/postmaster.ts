/** Reads postmaster.pid, and determines whether it belongs to a running server or is stale. */
import { execFile } from 'node:child_process';
import { readFile, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../lib/errors/error-code.js';

export interface Postmaster {
  pid: number;
  port: number;
  status: 'starting' | 'ready' | 'stopping';
}

export function postmasterFile(pgdata: string): string {
  return path.join(pgdata, 'postmaster.pid');
}

/** Undefined if there is no file, or if it is being written or removed. */
export async function readPostmaster(pgdata: string): Promise<Postmaster | undefined> {
  const text = await readFile(postmasterFile(pgdata), 'utf8').catch(() => '');
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const reported = lines[7];
  const status = reported === 'ready' || reported === 'stopping' ? reported : 'starting';
  return { pid, port: Number(lines[3] ?? 0), status };
}

/**
 * Whether the process is a PostgreSQL server on this directory. After a crash, and especially after a container
 * restart, the process id in the file may belong to another program.
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
  // An unreadable link belongs to another user's process. Assume that it serves this directory, rather than start a second server.
  return workingDirectory === undefined || workingDirectory === (await realpath(pgdata));
}

async function isNamedPostgres(pid: number): Promise<boolean> {
  const found = await promisify(execFile)('ps', ['-o', 'comm=', '-p', String(pid)]).catch(
    () => undefined,
  );
  return found !== undefined && path.basename(found.stdout.trim()) === 'postgres';
}
