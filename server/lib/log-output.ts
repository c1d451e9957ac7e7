/** Where the log goes. Apart from the terminal, so that commands do not load the logger. */
import type { ChildProcess } from 'node:child_process';
import { createLineOutput, type LineOutput } from './line-output.js';
import { relayLines } from './relay-lines.js';

const lineOutputs: Partial<Record<'stdout' | 'stderr', LineOutput>> = {};

/** Asking Node for the stream makes it non-blocking where it is a pipe or a socket. */
function lineOutput(name: 'stdout' | 'stderr'): LineOutput {
  return (lineOutputs[name] ??= createLineOutput(process[name].fd));
}

/** Its lines have been escaped. */
export function logOutput(): LineOutput {
  return lineOutput('stdout');
}

/** Passes on what another process of this program prints. It has been escaped there. */
export function relayOutput({ stdout, stderr }: ChildProcess): void {
  if (stdout) relayLines(stdout, lineOutput('stdout').write);
  if (stderr) relayLines(stderr, lineOutput('stderr').write);
}
