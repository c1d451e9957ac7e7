/** Runs servers in their own processes, with the Node version of the benchmark. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { runNode } from '../../lib/child.js';
import { Failure } from '../../lib/failure.js';
import { root } from '../../lib/project.js';

export interface Server {
  url: string;
  pid: number;
  /** From the start of the process to its ready line. */
  readyMs: number;
  stop: () => Promise<void>;
}

/** Starts a TypeScript or built program, and waits for the line with its URL. */
export async function startServer(
  args: string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Server> {
  const start = performance.now();
  const flags = args[0]?.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const child = spawn(process.execPath, [...flags, ...args], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = () => child.kill();
  process.once('exit', kill);
  const exited = once(child, 'exit').then(() => process.off('exit', kill));
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /ready at +(https?:[^\s"]+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return {
      url: new URL(url).origin,
      pid: child.pid ?? 0,
      readyMs: performance.now() - start,
      stop: async () => {
        child.kill('SIGTERM');
        await exited;
      },
    };
  }
  throw new Failure(`${args.join(' ')} did not start.`);
}

/** Listens on a free port and prints the URL, for `startServer`. */
export async function listen(server: HttpServer): Promise<void> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
  console.log(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/** Builds dist/server, so that the deployed code is measured. */
export async function buildServer(): Promise<void> {
  const { code, stderr } = await runNode(['--import', 'tsx', 'scripts/build.ts', '--unchecked']);
  if (code !== 0) throw new Failure(`The build failed:\n${stderr}`);
}
