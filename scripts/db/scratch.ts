/** Starts a temporary PostgreSQL that is removed however the process that started it ends. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { PostgresClient } from '../../server/store/client.js';
import { type EmbeddedDatabase, startEmbedded } from '../../server/store/embedded/embedded.js';
import { readPostmaster } from '../../server/store/embedded/postmaster.js';

// Reads its input until the process at the other end exits, even by kill -9; then stops PostgreSQL and removes its files.
const CLEAN_UP_SCRIPT = `
  cat > /dev/null
  pid=$(head -n 1 "$1/postgres/data/postmaster.pid" 2> /dev/null) && kill -INT "$pid"
  while [ -n "$pid" ] && kill -0 "$pid" 2> /dev/null; do sleep 0.1; done
  rm -rf "$1"`;

export interface ScratchOptions {
  /** Not by default, which is faster; benchmarks need it. */
  durable?: boolean;
  /** Settings of PostgreSQL that take effect at its start. */
  settings?: Record<string, string>;
}

export interface ScratchCluster extends EmbeddedDatabase {
  /** The process whose children are all of PostgreSQL. */
  pid: number;
}

export async function startScratchCluster({
  durable = false,
  settings = {},
}: ScratchOptions = {}): Promise<ScratchCluster> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'agent-hosting-scratch-'));
  spawn('sh', ['-c', CLEAN_UP_SCRIPT, 'sh', dataDir], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  }).unref();
  if (Object.keys(settings).length > 0) await configure(dataDir, settings);
  const cluster = await startEmbedded({ dataDir, durable });
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

/** For the next start. */
async function configure(dataDir: string, settings: Record<string, string>): Promise<void> {
  const cluster = await startEmbedded({ dataDir });
  const admin = new PostgresClient({ connectionString: cluster.adminUrl });
  await admin.connect();
  for (const [name, value] of Object.entries(settings)) {
    await admin.query(`ALTER SYSTEM SET ${name} = ${pg.escapeLiteral(value)}`);
  }
  await admin.end();
  await cluster.stop();
}
