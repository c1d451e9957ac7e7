/** An installation with its own data directory and history, to start again and again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Failure } from '../../lib/failure.js';
import { root } from '../../lib/project.js';
import { runLoad } from '../lib/loader.js';
import { invoke, pathOf } from '../lib/loads.js';
import { processorSeconds } from '../lib/processor-time.js';

export type Command = string[];

export interface Started {
  url: string;
  /** Of the command. */
  pid: number;
  /** From the command to the line that says that the service is ready. */
  readyMs: number;
  /** The processor time until then, of PostgreSQL too. */
  cpuMs: number;
  stop: () => Promise<void>;
}

export interface Installation {
  dataDir: string;
  /** In its history. */
  invocations: number;
  start: (command: Command) => Promise<Started>;
}

/** Below the burst of the account that the first start creates. */
const invocations = 50;

export async function withInstallation(
  run: (installation: Installation) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'agent-hosting-bench-'));
  const start = (command: Command) => startIn(dataDir, command);
  try {
    const first = await start([process.execPath, 'scripts/run-built.mjs', 'main']);
    try {
      await invokeSome(first.url, dataDir);
    } finally {
      await first.stop();
    }
    await run({ dataDir, invocations, start });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function startIn(dataDir: string, [file = '', ...args]: Command): Promise<Started> {
  const begun = performance.now();
  const child = spawn(file, args, {
    cwd: root,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      DATA_DIR: dataDir,
      PORT: '0',
      // No load balancer has to learn that it stops.
      LAME_DUCK_MS: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /ready at +(https?:[^\s"]+)/.exec(line)?.[1];
    if (url === undefined) continue;
    const readyMs = performance.now() - begun;
    child.stdout.resume();
    const { origin } = new URL(url);
    const pid = child.pid ?? 0;
    const cpuMs = (await processorSeconds(pid)) * 1000;
    return { url: origin, pid, readyMs, cpuMs, stop: () => stop(child) };
  }
  throw new Failure(`${[file, ...args].join(' ')} did not start.`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
}

async function invokeSome(url: string, dataDir: string): Promise<void> {
  const key = (await readFile(path.join(dataDir, 'first.key'), 'utf8')).trim();
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(url + pathOf('listAgents'), { headers });
  const { data } = (await response.json()) as { data: { id: string }[] };
  const agentId = data[0]?.id ?? '';
  await runLoad({ ...invoke(url, { agentId, headers }), connections: 4, maxRequests: invocations });
}
