/** Calls a function of another process, which is kept for the next call: on a busy machine it takes seconds to start. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Failure } from '../../lib/failure.js';
import { inProject } from '../../lib/project.js';

interface Outcome {
  output?: unknown;
  error?: string;
}

/** For calls at the same time there is a process each. `program` must call `answerCalls`. */
export function remote(program: string): (input: object) => Promise<unknown> {
  const idle: ChildProcess[] = [];
  return async (input) => {
    const child = idle.pop() ?? fork(inProject(program), { execArgv: ['--import', 'tsx'] });
    keepAlive(child, true);
    const { output, error } = await call(child, input);
    if (output === undefined) throw new Failure(`${program} failed: ${error}`);
    keepAlive(child, false);
    idle.push(child);
    return output;
  };
}

/** Answers the calls of the parent, and ends with it. */
export function answerCalls(work: (input: never) => Promise<object>): void {
  process.on('message', (input: unknown) => {
    work(input as never).then(
      (output) => process.send?.({ output }),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
  process.once('disconnect', () => process.exit(0));
}

async function call(child: ChildProcess, input: object): Promise<Outcome> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const outcome = Promise.race([
    once(child, 'message', { signal }).then(([received]) => received as Outcome),
    once(child, 'exit', { signal }).then(() => ({ error: 'it ended' })),
  ]);
  child.send(input);
  try {
    return await outcome;
  } finally {
    waiting.abort();
  }
}

/** Whether this process waits for it. */
function keepAlive(child: ChildProcess, isNeeded: boolean): void {
  for (const handle of [child, child.channel]) {
    if (isNeeded) handle?.ref();
    else handle?.unref();
  }
}
