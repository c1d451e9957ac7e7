/** Puts load on a server from another process, which is kept for the next load: on a busy machine it takes seconds to start. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Failure } from '../../lib/failure.js';
import { inProject } from '../../lib/project.js';
import type { Load, LoadResult } from './load.js';

interface Outcome {
  result?: LoadResult;
  error?: string;
}

const idle: ChildProcess[] = [];

/** Fails unless the responses have the status that is expected. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const child = idle.pop() ?? startProgram();
  keepAlive(child, true);
  const { result, error } = await executeIn(child, load);
  if (!result) throw new Failure(`The load on ${load.url} failed: ${error}`);
  keepAlive(child, false);
  idle.push(child);
  if (result.failures > (load.maxFailures ?? 0)) {
    throw new Failure(`${result.failures} requests to ${load.url} failed.`);
  }
  return result;
}

async function executeIn(child: ChildProcess, load: Load): Promise<Outcome> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const outcome = Promise.race([
    once(child, 'message', { signal }).then(([received]) => received as Outcome),
    once(child, 'exit', { signal }).then(() => ({ error: 'its program ended' })),
  ]);
  child.send(load);
  try {
    return await outcome;
  } finally {
    waiting.abort();
  }
}

/** Whether this process waits for it. It ends with this process. */
function keepAlive(child: ChildProcess, isNeeded: boolean): void {
  for (const handle of [child, child.channel]) {
    if (isNeeded) handle?.ref();
    else handle?.unref();
  }
}

function startProgram(): ChildProcess {
  return fork(inProject('scripts/bench/lib/load-program.ts'), { execArgv: ['--import', 'tsx'] });
}
