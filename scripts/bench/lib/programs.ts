/** The servers under measurement, and the load on them, as processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { runNode } from '../../lib/child.js';
import { Failure } from '../../lib/failure.js';
import { root } from '../../lib/project.js';
import type { Load, LoadResult } from './load.js';

export interface Programs {
  /** Starts a server, in TypeScript or built, and returns the address that it announces. */
  start: (args: string[], environment?: Record<string, string>) => Promise<string>;
  stop: () => Promise<void>;
}

export function createPrograms(): Programs {
  const children: ChildProcess[] = [];
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
        const url = /(?:ready at|API) +(https?:\S+?)(?:\/v1)?(?:\s|$)/.exec(line)?.[1];
        if (url === undefined) continue;
        child.stdout.resume();
        return url;
      }
      throw new Failure(`${args.join(' ')} did not start.`);
    },
    stop: async () => {
      for (const child of children) {
        if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
      }
    },
  };
}

/** Makes dist/server/main.js: what is measured is what is deployed. */
export async function buildServer(): Promise<void> {
  const { code, stderr } = await runNode(['--import', 'tsx', 'scripts/build.ts', '--unchecked']);
  if (code !== 0) throw new Failure(`The build failed:\n${stderr}`);
}

/** Fails unless every request got a good answer. */
export async function measure(load: Load): Promise<LoadResult> {
  const { code, stdout, stderr } = await runNode([
    '--import',
    'tsx',
    'scripts/bench/lib/load.ts',
    JSON.stringify(load),
  ]);
  if (code !== 0) throw new Failure(`The load on ${load.url} failed:\n${stderr}`);
  const result = JSON.parse(stdout) as LoadResult;
  if (result.failures > 0) throw new Failure(`${result.failures} requests to ${load.url} failed.`);
  return result;
}

export function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}
