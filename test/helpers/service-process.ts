/** The service, or another program of the project, as a real process: started, read and ended as a person would. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { builtProject } from './built-project.js';
import { root } from './workspace.js';

export interface Program {
  pid: number;
  /** Everything that it has printed so far. */
  stdout: () => string;
  stderr: () => string;
  /** Resolves to the exit code, or to the signal that ended it. */
  ended: Promise<number | string>;
  /** Sends the signal and waits for the end. */
  end: (signal: NodeJS.Signals) => Promise<number | string>;
}

export interface ServiceProcess extends Program {
  url: string;
  /** From its start until it said that it is ready. */
  readyAfterMs: number;
}

export interface ServiceOptions extends ProgramOptions {
  /** Its file, from the project; the built service unless said otherwise. */
  file?: string;
}

export interface ProgramOptions {
  environment?: Record<string, string>;
  user?: { uid: number; gid: number };
  /** What it reads from standard input. */
  input?: string;
}

/** How this project runs TypeScript, wherever the program is started. */
const typescript = [
  '--import',
  pathToFileURL(path.join(root, 'node_modules/tsx/dist/loader.mjs')).href,
];

/** Starts a program of the project, or of another folder, in an environment that has only what is named. */
export function startProgram(
  file: string,
  args: string[] = [],
  { environment = {}, user, input }: ProgramOptions = {},
): Program {
  const flags = file.endsWith('.ts') ? typescript : [];
  const child = spawn(process.execPath, [...flags, path.resolve(root, file), ...args], {
    // Away from the project, where a developer may keep an .env file.
    cwd: '/',
    env: { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1', ...environment },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    ...user,
  });
  child.stdin?.end(input);
  const ended = once(child, 'close').then(
    ([code, signal]: (number | string | null)[]) => code ?? signal ?? 'unknown',
  );
  return {
    pid: child.pid ?? 0,
    stdout: collect(child.stdout),
    stderr: collect(child.stderr),
    ended,
    end: async (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Starts the service on any free port and waits until it is ready; fails with what it said if it ends before. */
export async function startServiceProcess(options: ServiceOptions = {}): Promise<ServiceProcess> {
  const file = options.file ?? path.join(await builtProject(), 'server/main.js');
  const start = performance.now();
  const program = startProgram(file, [], {
    ...options,
    environment: { PORT: '0', ...options.environment },
  });
  const url = await readyUrl(program);
  return { ...program, url, readyAfterMs: performance.now() - start };
}

/** The address that the service announces. */
export async function readyUrl({ stdout, stderr, ended }: Program): Promise<string> {
  for (;;) {
    const isOver = await Promise.race([ended.then(() => true), delay(10, false)]);
    const found = /(?:ready at|API) +(http\S+?)(?:\/v1)?\s/.exec(stdout())?.[1];
    if (found !== undefined) return found;
    if (isOver) throw new Error(`The service did not start:\n${stdout()}\n${stderr()}`);
  }
}

function collect(stream: ChildProcess['stdout']): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}
