/** A PostgreSQL for a few minutes: started in a temporary directory, and gone without a trace however its user ends. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type EmbeddedDatabase, startEmbedded } from '../../server/store/embedded/embedded.js';

// Waits for the end of its input, which comes with the end of the process that holds the other side, be it by kill -9.
const GUARDIAN = `
  cat > /dev/null
  pid=$(head -n 1 "$1/postgres/data/postmaster.pid" 2> /dev/null) && kill -INT "$pid"
  while [ -n "$pid" ] && kill -0 "$pid" 2> /dev/null; do sleep 0.1; done
  rm -rf "$1"`;

/** Without durability it is quicker, which is right for tests and wrong for measurements. */
export async function startScratchCluster({ durable = false } = {}): Promise<EmbeddedDatabase> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'agent-hosting-scratch-'));
  spawn('sh', ['-c', GUARDIAN, 'sh', dataDir], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  }).unref();
  const cluster = await startEmbedded({ dataDir, durable });
  return {
    ...cluster,
    stop: async () => {
      await cluster.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
