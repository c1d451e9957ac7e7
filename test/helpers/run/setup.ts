/**
 * Before a test run: creates a folder for artefacts that are built once, and starts one PostgreSQL. Jest applies no
 * module mapping to this file, so a separate program works on the database.
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
  // Readable for programs that tests start as another user.
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
