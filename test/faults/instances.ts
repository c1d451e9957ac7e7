/** Instances of the service as processes that a test ends and starts again, and that must not end by themselves. */
import { type ServiceProcess, startServiceProcess } from '../helpers/process.js';
import type { Environment } from '../helpers/service.js';

export interface Instance {
  /** Undefined while it does not run. */
  url: () => string | undefined;
  pid: () => number | undefined;
  /** How often it was ended on purpose. */
  ends: () => number;
  start: () => Promise<void>;
  /** Does not wait for the process to have started again. */
  end: (signal: NodeJS.Signals) => Promise<void>;
}

export interface Instances {
  all: Instance[];
  /** Those that ended although nobody ended them, with what they said. */
  ended: string[];
  stop: () => Promise<void>;
}

export function createInstances(environments: readonly Environment[]): Instances {
  const ended: string[] = [];
  const all = environments.map((environment, index) =>
    createInstance(environment, (how) => ended.push(`instance ${index} ended: ${how}`)),
  );
  return {
    all,
    ended,
    stop: async () => {
      await Promise.all(all.map((instance) => instance.end('SIGTERM')));
    },
  };
}

function createInstance(
  environment: Environment,
  onUnexpectedEnd: (how: string) => void,
): Instance {
  let running: ServiceProcess | undefined;
  let ending: ServiceProcess | undefined;
  let ends = 0;
  return {
    url: () => running?.url,
    pid: () => running?.pid,
    ends: () => ends,
    start: async () => {
      const started = await startServiceProcess({ environment });
      running = started;
      void started.ended.then((code) => {
        if (running === started) running = undefined;
        if (ending !== started) onUnexpectedEnd(`${code}\n${started.stderr()}`);
      });
    },
    end: async (signal) => {
      if (!running) return;
      const victim = running;
      ending = victim;
      ends += 1;
      // The operating system says a moment later that it is gone, but from now on nobody can reach it.
      if (signal === 'SIGKILL') running = undefined;
      await victim.end(signal);
    },
  };
}
