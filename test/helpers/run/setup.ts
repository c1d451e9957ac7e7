/**
 * Before a test run: a folder for what the run makes once, and one PostgreSQL for all of it. Jest gives this file no
 * module mapping, so the work on the database is a program's.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

declare global {
  var endTestRun: (() => Promise<void>) | undefined;
}

export default async function startTestRun(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-hosting-tests-'));
  // For programs that tests start as another user.
  await chmod(folder, 0o755);
  process.env['TEST_RUN_FOLDER'] = folder;
  const cluster = spawn(process.execPath, ['--import', 'tsx', 'test/helpers/run/cluster.ts'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(cluster, 'exit');
  globalThis.endTestRun = async () => {
    cluster.stdin.end();
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: cluster.stdout })) {
    process.env['TEST_CLUSTER'] = line;
    return;
  }
  throw new Error('The PostgreSQL of the tests did not start.');
}
