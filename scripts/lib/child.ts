/** Runs another program as a child process and collects what it says. */

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { root } from './project.js';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Surroundings {
  /** Variables on top of our own environment. */
  env?: NodeJS.ProcessEnv;
  cwd?: string;
}

/** Runs a JavaScript program with the Node that runs us. */
export function runNode(args: string[], surroundings: Surroundings = {}): Promise<Outcome> {
  return run(process.execPath, args, surroundings);
}

/** Runs a program to its end. One that a signal ended counts as failed; one that cannot be started rejects. */
export async function run(
  file: string,
  args: string[],
  { env = {}, cwd = root }: Surroundings = {},
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
