/** Programs as real processes. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { root } from '../../../scripts/lib/project.js';
import { builtPrograms } from './built-project.js';
import { temporaryFolder } from './workspace.js';

export interface Program {
  pid: number;
  /** Its output so far. */
  stdout: () => string;
  stderr: () => string;
  /** Resolves to the first match in its standard output; rejects if it exits without one. */
  printed: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Resolves to the exit code, or to the signal that ended it. */
  ended: Promise<number | string>;
  /** Stops and resumes reading its output. */
  stall: () => void;
  readOn: () => void;
  /** Sends the signal, unless it has exited already, and waits for the exit. */
  end: (signal: NodeJS.Signals) => Promise<number | string>;
}

export interface ServiceProcess extends Program {
  url: string;
  /** Reads the first API key from the file that the log names; rejects if it exits without naming one. */
  firstKey: () => Promise<string>;
}

export interface ProgramOptions {
  /** Its environment, in addition to the variables that any process needs. */
  environment?: NodeJS.ProcessEnv;
  cwd?: string;
  user?: { uid: number; gid: number };
  /** Its standard input. */
  input?: string;
  /** A file for its standard output, which is then read from there. */
  outputFile?: string;
  /** Starts it in a new session with its own CPU share. Terminal signals do not reach it. */
  hasOwnSession?: boolean;
}

/** Starts any command, by default outside the project, where a developer may keep an .env file. */
export function startCommand(
  command: string,
  args: string[],
  {
    environment = {},
    cwd = '/',
    user,
    input,
    outputFile,
    hasOwnSession = false,
  }: ProgramOptions = {},
): Program {
  const file = outputFile === undefined ? undefined : openSync(outputFile, 'a');
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1', ...environment },
    stdio: [input === undefined ? 'ignore' : 'pipe', file ?? 'pipe', 'pipe'],
    detached: hasOwnSession,
    ...user,
  });
  if (file !== undefined) closeSync(file);
  child.stdin?.end(input);
  const ended = once(child, 'close').then(
    ([code, signal]: (number | string | null)[]) => code ?? signal ?? 'unknown',
  );
  const stdout =
    outputFile === undefined ? collect(child.stdout) : () => readFileSync(outputFile, 'utf8');
  const stderr = collect(child.stderr);
  return {
    pid: child.pid ?? 0,
    stdout,
    stderr,
    ended,
    printed: async (pattern) => {
      for (;;) {
        const isOver = await Promise.race([ended.then(() => true), delay(10, false)]);
        const found = pattern.exec(stdout());
        if (found) return found;
        if (isOver) throw new Error(stderr() || `It ended without ${pattern}:\n${stdout()}`);
      }
    },
    stall: () => child.stdout?.pause(),
    readOn: () => child.stdout?.resume(),
    end: async (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** The Node options that run the project's TypeScript from any folder. */
const typescript = [
  '--import',
  pathToFileURL(path.join(root, 'node_modules/tsx/dist/loader.mjs')).href,
];

/** Starts a Node program; those of the project are named by their path. */
export function startProgram(file: string, args: string[] = [], options?: ProgramOptions): Program {
  const flags = file.endsWith('.ts') ? typescript : [];
  return startCommand(process.execPath, [...flags, path.resolve(root, file), ...args], options);
}

/** Starts a server program from the build of this test run, named by its source path without the extension. */
export async function startBuilt(
  name: string,
  args: string[] = [],
  options?: ProgramOptions,
): Promise<Program> {
  return startProgram(path.join(await builtPrograms(), `${name}.js`), args, options);
}

/** Makes a program detect a terminal. */
export const onTerminal = {
  NODE_OPTIONS: '--import=data:text/javascript,process.stdout.isTTY=true',
};

/** Starts the built service on a free port and waits until it is ready; fails with its output if it exits before. */
export async function startServiceProcess(options: ProgramOptions = {}): Promise<ServiceProcess> {
  const environment = {
    PORT: '0',
    LAME_DUCK_MS: '0',
    DATA_DIR: await temporaryFolder(),
    ...options.environment,
  };
  const program = path.join(await builtPrograms(), 'server/main.js');
  return ready(startCommand(process.execPath, [program], { ...options, environment }));
}

/** Resolves once the service has logged its address. */
export async function ready(program: Program): Promise<ServiceProcess> {
  const [, url = ''] = await program.printed(/(?:ready at|API) +(http[^\s"]+?)(?:\/v1)?[\s"]/);
  return {
    ...program,
    url,
    firstKey: async () => {
      const [, file = ''] = await program.printed(/"first_key_file":"([^"]+)"/);
      return (await readFile(file, 'utf8')).trim();
    },
  };
}

function collect(stream: ChildProcess['stdout']): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/** The descendants of this process. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const children = (await processes()).filter(({ parent }) => parent === pid);
  const others = await Promise.all(children.map((child) => descendantsOf(child.pid)));
  return [...children.map((child) => child.pid), ...others.flat()];
}

/** Those that are still running. */
export async function stillRunning(pids: number[]): Promise<number[]> {
  return (await processes()).map(({ pid }) => pid).filter((pid) => pids.includes(pid));
}

async function processes(): Promise<{ pid: number; parent: number }[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  return [...stdout.matchAll(/^ *(\d+) +(\d+) [^Z]/gm)].map(([, pid, parent]) => ({
    pid: Number(pid),
    parent: Number(parent),
  }));
}
