/** Instances of the service as processes that a test ends and starts again, and that must not end by themselves. */
import path from 'node:path';
import {
  type ProgramOptions,
  type ServiceProcess,
  startServiceProcess,
} from '../helpers/process.js';
import type { Environment } from '../helpers/service.js';

export interface Instance {
  /** Undefined while it does not run. */
  url: () => string | undefined;
  pid: () => number | undefined;
  /** What it has printed since it was started, and whether that is read. */
  printed: () => string;
  stall: () => void;
  readOn: () => void;
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

/** `logFolder` is where each instance has a file for its log; without one, its log is read from a pipe. */
export function createInstances(
  environments: readonly Environment[],
  logFolder?: string,
): Instances {
  const ended: string[] = [];
  const all = environments.map((environment, index) =>
    createInstance(
      { environment, ...(logFolder && { outputFile: path.join(logFolder, `${index}.log`) }) },
      (how) => ended.push(`instance ${index} ended: ${how}`),
    ),
  );
  return {
    all,
    ended,
    stop: async () => {
      await Promise.all(all.map((instance) => instance.end('SIGTERM')));
    },
  };
}

function createInstance(options: ProgramOptions, onUnexpectedEnd: (how: string) => void): Instance {
  let running: ServiceProcess | undefined;
  let ending: ServiceProcess | undefined;
  let ends = 0;
  return {
    url: () => running?.url,
    pid: () => running?.pid,
    printed: () => running?.stdout() ?? '',
    stall: () => running?.stall(),
    readOn: () => running?.readOn(),
    ends: () => ends,
    start: async () => {
      const started = await startServiceProcess(options);
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
