/** Runs the servers under measurement in processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { runNode } from '../../lib/child.js';
import { Failure } from '../../lib/failure.js';
import { root } from '../../lib/project.js';

export interface Programs {
  /** Starts a server, in TypeScript or built, and returns the origin of the URL that it prints. */
  start: (args: string[], environment?: Record<string, string>) => Promise<string>;
  /** The process that serves a URL. */
  pidOf: (url: string) => number;
  /** All of them, or the one that serves a URL. */
  stop: (url?: string) => Promise<void>;
}

export function createPrograms(): Programs {
  const children: ChildProcess[] = [];
  const byUrl = new Map<string, ChildProcess>();
  // After a signal nothing else stops them.
  process.once('exit', () => {
    for (const child of children) child.kill();
  });
  return {
    start: async (args, environment = {}) => {
      const flags = args[0]?.endsWith('.ts') ? ['--import', 'tsx'] : [];
      const child = spawn(process.execPath, [...flags, ...args], {
        cwd: root,
        env: { ...process.env, NODE_ENV: 'production', ...environment },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      for await (const line of createInterface({ input: child.stdout })) {
        const url = /ready at +(https?:[^\s"]+)/.exec(line)?.[1];
        if (url === undefined) continue;
        child.stdout.resume();
        const { origin } = new URL(url);
        byUrl.set(origin, child);
        return origin;
      }
      throw new Failure(`${args.join(' ')} did not start.`);
    },
    pidOf: (url) => byUrl.get(url)?.pid ?? 0,
    stop: async (url) => {
      const stopped = url === undefined ? children : [byUrl.get(url)];
      for (const child of stopped) {
        if (child?.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
      }
    },
  };
}

/** Builds dist/server/main.js, so that the benchmark measures what is deployed. */
export function buildServer(): Promise<void> {
  return build(['scripts/build.ts', '--unchecked']);
}

/** Builds what its command line runs. */
export function buildClient(): Promise<void> {
  return build(['client/build.ts']);
}

async function build(args: string[]): Promise<void> {
  const { code, stderr } = await runNode(['--import', 'tsx', ...args]);
  if (code !== 0) throw new Failure(`${args[0]} failed:\n${stderr}`);
}
