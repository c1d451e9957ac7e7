/** Starts and stops the PostgreSQL server process of a cluster. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../lib/errors/error-code.js';
import {
  isAlive,
  isServing,
  postmasterFile,
  readPostmaster,
  type Postmaster,
} from './postmaster.js';
import { EmbeddedPostgresError } from './problem.js';
import { launch, type RunAs } from './run-as.js';

export interface ServerOptions {
  pgdata: string;
  program: string;
  runAs: RunAs | undefined;
  logFile: string;
  durable: boolean;
}

const POLL_MS = 10;
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 10_000;
const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

const settings = (port: number, durable: boolean): Record<string, string> => ({
  port: String(port),
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  // The write-ahead log grows to about this size before it is reused; the default of 1 GB exceeds most embedded databases.
  max_wal_size: '256MB',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Committed data survives a power failure, except in a temporary cluster, which many test services share.
  ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', max_connections: '300' }),
});

/** Finds the running server of a cluster; waits while one is starting or stopping. */
export async function findRunning(pgdata: string): Promise<Postmaster | undefined> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const found = await readPostmaster(pgdata);
    if (found === undefined || !(await isServing(found.pid, pgdata))) return undefined;
    if (found.status === 'ready') return found;
    if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        'hanging_server',
        `The embedded PostgreSQL (process ${found.pid}) has been ${found.status} for two minutes.`,
      );
    }
    await delay(POLL_MS);
  }
}

export async function startServer(options: ServerOptions, port: number): Promise<Postmaster> {
  await removeMisleadingPidFile(options.pgdata);
  await rotateLog(options.logFile);
  const logStart = await sizeOf(options.logFile);
  const child = spawnServer(options, port);
  const exited = once(child, 'exit').then(() => 'exited' as const);
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const outcome = await Promise.race([exited, delay(POLL_MS, 'running' as const)]);
    const current = await readPostmaster(options.pgdata);
    if (outcome === 'running' && current?.pid === child.pid && current?.status === 'ready') {
      return current;
    }
    if (outcome === 'exited' || Date.now() > deadline) {
      child.kill('SIGQUIT');
      throw new Error(
        `The embedded PostgreSQL did not start. The end of ${options.logFile}:\n` +
          (await tail(options.logFile, logStart)),
      );
    }
  }
}

/** Ends all sessions and shuts down the server. Resolves when the process has exited. */
export async function stopServer(pgdata: string): Promise<void> {
  const running = await findRunning(pgdata);
  if (running === undefined) return;
  for (const begin of [beginStop, (pid: number) => sendSignal(pid, 'SIGQUIT')]) {
    if (!begin(running.pid)) return;
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (Date.now() < deadline) {
      if (!(await isServing(running.pid, pgdata))) return;
      await delay(POLL_MS);
    }
  }
  throw new Error(`The embedded PostgreSQL (process ${running.pid}) does not stop.`);
}

/** Asks the server to end all sessions and shut down. Returns false if the process no longer exists. */
export function beginStop(pid: number): boolean {
  return sendSignal(pid, 'SIGINT');
}

/** Returns false if the process no longer exists. */
function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
    throw error;
  }
}

function spawnServer(options: ServerOptions, port: number): ChildProcess {
  const { pgdata, program, runAs, logFile, durable } = options;
  const flags = Object.entries(settings(port, durable)).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = launch({
      file: program,
      directory: path.dirname(pgdata),
      args: (directory) => ['-D', path.join(directory, path.basename(pgdata)), ...flags],
      output: log,
      runAs,
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

// PostgreSQL removes a stale postmaster.pid itself, unless another process has the same process id.
async function removeMisleadingPidFile(pgdata: string): Promise<void> {
  const found = await readPostmaster(pgdata);
  if (found !== undefined && isAlive(found.pid) && !(await isServing(found.pid, pgdata))) {
    await rm(postmasterFile(pgdata), { force: true });
  }
}

async function rotateLog(logFile: string): Promise<void> {
  if ((await sizeOf(logFile)) > LOG_LIMIT_BYTES) await rename(logFile, `${logFile}.1`);
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return 0;
      throw error;
    },
  );
}

async function tail(file: string, from: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4096), 0, 4096, from);
    return buffer.toString('utf8', 0, bytesRead).trimEnd();
  } finally {
    await handle.close();
  }
}
