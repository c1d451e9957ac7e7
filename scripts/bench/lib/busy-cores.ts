/** Keeps every core busy with something else, one spinning process for each. */
import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { inProject } from '../../lib/project.js';
import type { Machine } from './context.js';

export async function onMachine<T>(machine: Machine, work: () => Promise<T>): Promise<T> {
  const spinning = machine === 'busy' ? Array.from({ length: availableParallelism() }, spin) : [];
  try {
    return await work();
  } finally {
    for (const child of spinning) child.kill('SIGKILL');
  }
}

/** Ends with this process at the latest, since it notices when the channel closes. */
function spin(): ChildProcess {
  return fork(inProject('scripts/bench/lib/spin.js'), { stdio: 'ignore' });
}
