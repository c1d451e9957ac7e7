/** Any program, run for the time of a test. */
import { spawn, type SpawnOptionsWithoutStdio } from 'node:child_process';
import { once } from 'node:events';

export interface RunningProgram {
  /** What it has printed so far. */
  output: () => string;
  stop: () => Promise<void>;
}

export function runProgram(
  command: string,
  args: string[],
  options: SpawnOptionsWithoutStdio,
): RunningProgram {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'close');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return {
    output: () => output,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
