/** Starts a temporary PostgreSQL, which is removed however the process that started it ends. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { EmbeddedDatabase } from '../../server/embedded-postgres/embedded.js';
import { readPostmaster } from '../../server/embedded-postgres/postmaster.js';
import { openEmbedded } from '../../server/process/embedded-database.js';

// Reads its input until the parent process exits, even by kill -9; then stops PostgreSQL and removes its files.
const CLEAN_UP_SCRIPT = `
  cat > /dev/null
  pid=$(head -n 1 "$1/postgres/data/postmaster.pid" 2> /dev/null) && kill -INT "$pid"
  while [ -n "$pid" ] && kill -0 "$pid" 2> /dev/null; do sleep 0.1; done
  rm -rf "$1"`;

export interface ScratchOptions {
  /** Off by default, which is faster; benchmarks need it. */
  durable?: boolean;
}

export interface ScratchCluster extends EmbeddedDatabase {
  /** The postmaster, the parent of all PostgreSQL processes. */
  pid: number;
}

export async function startScratchCluster({
  durable = false,
}: ScratchOptions = {}): Promise<ScratchCluster> {
  const dataDir = await scratchDirectory();
  const cluster = await openEmbedded('start', { dataDir, durable });
  const postmaster = await readPostmaster(path.join(dataDir, 'postgres/data'));
  return {
    ...cluster,
    pid: postmaster?.pid ?? 0,
    stop: async () => {
      await cluster.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A data directory that is removed, after its PostgreSQL is stopped, however this process ends. */
export async function scratchDirectory(): Promise<string> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'agent-hosting-scratch-'));
  spawn('sh', ['-c', CLEAN_UP_SCRIPT, 'sh', dataDir], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  }).unref();
  return dataDir;
}
