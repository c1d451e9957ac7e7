/** Service processes that a test stops and restarts, and that must not exit on their own. */
import path from 'node:path';
import {
  type ProgramOptions,
  type ServiceProcess,
  startServiceProcess,
} from '../helpers/programs/process.js';
import type { Environment } from '../helpers/service/service.js';

export interface Instance {
  /** Undefined while it does not run. */
  url: () => string | undefined;
  pid: () => number | undefined;
  /** Its output since the last start, and whether the output is read. */
  printed: () => string;
  stall: () => void;
  readOn: () => void;
  /** How often the test has stopped it. */
  ends: () => number;
  start: () => Promise<void>;
  /** Does not wait until the process is up again. */
  end: (signal: NodeJS.Signals) => Promise<void>;
}

export interface Instances {
  all: Instance[];
  /** The processes that exited unexpectedly, with their output. */
  ended: string[];
  stop: () => Promise<void>;
}

/** Each instance logs to a file in `logFolder`; without a folder, its log is read from a pipe. */
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
      // The exit is reported a moment later, but the instance is unreachable from now on.
      if (signal === 'SIGKILL') running = undefined;
      await victim.end(signal);
    },
  };
}
