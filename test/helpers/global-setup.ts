/** Starts one PostgreSQL for the whole test run. Jest gives this file no module mapping, so the work is a program's. */
import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

declare global {
  var stopTestCluster: (() => Promise<void>) | undefined;
}

export default async function startTestCluster(): Promise<void> {
  const program = spawn(process.execPath, ['--import', 'tsx', 'test/helpers/test-cluster.ts'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) =>
    program.once('exit', () => {
      resolve();
    }),
  );
  const [said] = await Promise.race([firstLine(program.stdout), exited.then(() => [undefined])]);
  if (said === undefined) throw new Error('The PostgreSQL of the tests did not start.');
  process.env['TEST_CLUSTER'] = said;
  process.env['TEST_RUN_FOLDER'] = await mkdtemp(path.join(tmpdir(), 'test-run-'));
  globalThis.stopTestCluster = async () => {
    program.stdin.end();
    await exited;
  };
}

async function firstLine(input: NodeJS.ReadableStream): Promise<[string]> {
  const lines = createInterface({ input });
  return new Promise((resolve) =>
    lines.once('line', (line) => {
      resolve([line]);
    }),
  );
}
