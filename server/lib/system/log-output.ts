/** The destination of the log. Separate from terminal.ts, so that commands do not load the logger. */
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { createLineOutput, type LineOutput } from './line-output.js';

const lineOutputs: Partial<Record<'stdout' | 'stderr', LineOutput>> = {};

/** Accessing `process[name]` makes a pipe or socket non-blocking. */
function lineOutput(name: 'stdout' | 'stderr'): LineOutput {
  return (lineOutputs[name] ??= createLineOutput(process[name].fd));
}

/** The logger must have escaped the lines. */
export function logOutput(): LineOutput {
  return lineOutput('stdout');
}

/** Passes on the output of a child process of the same program, which has already escaped it. */
export function relayOutput({ stdout, stderr }: ChildProcess): void {
  if (stdout) relayLines(stdout, lineOutput('stdout').write);
  if (stderr) relayLines(stderr, lineOutput('stderr').write);
}

const newline = 10;

/** Writes whole lines, so that the lines of several processes do not mix. */
export function relayLines(from: Readable, write: (lines: string) => void): void {
  let unfinished: Buffer[] = [];
  from.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end > 0) {
      write(Buffer.concat([...unfinished, chunk.subarray(0, end)]).toString());
      unfinished = [];
    }
    if (end < chunk.length) unfinished.push(chunk.subarray(end));
  });
  from.on('end', () => {
    if (unfinished.length > 0) write(`${Buffer.concat(unfinished).toString()}\n`);
  });
}
