/** Runs a child process and collects its output. */

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { root } from './project.js';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** Added to the environment of this process. */
  env?: NodeJS.ProcessEnv;
  cwd?: string;
}

/** Runs a JavaScript program with the same Node. */
export function runNode(args: string[], options: RunOptions = {}): Promise<Outcome> {
  return run(process.execPath, args, options);
}

/** Resolves when the program exits, with code 1 if a signal ended it. Rejects if it cannot be started. */
export async function run(
  file: string,
  args: string[],
  { env = {}, cwd = root }: RunOptions = {},
): Promise<Outcome> {
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve(code ?? 1);
    });
  });
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
