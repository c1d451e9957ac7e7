/** Programs as real processes: started, read and ended as a person would. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { nodeFlags } from '../../scripts/lib/node-flags.js';
import { root } from '../../scripts/lib/project.js';
import { builtPrograms } from './built-project.js';
import { temporaryFolder } from './workspace.js';

export interface Program {
  pid: number;
  /** Everything that it has printed so far. */
  stdout: () => string;
  stderr: () => string;
  /** Resolves to the first match in what it prints on standard output; rejects if it ends without one. */
  printed: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Resolves to the exit code, or to the signal that ended it. */
  ended: Promise<number | string>;
  /** Stops reading what it prints, and reads on. */
  stall: () => void;
  readOn: () => void;
  /** Sends the signal, unless it has ended already, and waits for the end. */
  end: (signal: NodeJS.Signals) => Promise<number | string>;
}

export interface ServiceProcess extends Program {
  url: string;
  /** Reads the key of the first start from the file that the log names; rejects if it ends without naming one. */
  firstKey: () => Promise<string>;
}

export interface ProgramOptions {
  /** Everything that it finds there, besides what any process needs. */
  environment?: NodeJS.ProcessEnv;
  cwd?: string;
  user?: { uid: number; gid: number };
  /** What it reads from standard input. */
  input?: string;
  /** A file for standard output, which is read from there. */
  outputFile?: string;
  /** Where the system shares processors among sessions, it has a share of its own. A signal to the terminal does not reach it. */
  hasOwnSession?: boolean;
}

/** Starts any command, away from the project unless told otherwise: a developer may keep an .env file there. */
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

/** How this project runs TypeScript, wherever the program is started. */
const typescript = [
  '--import',
  pathToFileURL(path.join(root, 'node_modules/tsx/dist/loader.mjs')).href,
];

/** Starts a program of Node; one of the project's by its path in it. */
export function startProgram(file: string, args: string[] = [], options?: ProgramOptions): Program {
  const flags = file.endsWith('.ts') ? typescript : [];
  return startCommand(process.execPath, [...flags, path.resolve(root, file), ...args], options);
}

/** Starts a program of the server, named by its source without the extension, from the build of this test run. */
export async function startBuilt(
  name: string,
  args: string[] = [],
  options?: ProgramOptions,
): Promise<Program> {
  return startProgram(path.join(await builtPrograms(), `${name}.js`), args, options);
}

/** Makes a program believe that a person reads what it prints. */
export const onTerminal = {
  NODE_OPTIONS: '--import=data:text/javascript,process.stdout.isTTY=true',
};

/** Starts the built service on any free port and waits until it is ready; fails with what it said if it ends before. */
export async function startServiceProcess(options: ProgramOptions = {}): Promise<ServiceProcess> {
  const environment = {
    PORT: '0',
    LAME_DUCK_MS: '0',
    DATA_DIR: await temporaryFolder(),
    ...options.environment,
  };
  const program = path.join(await builtPrograms(), 'server/main.js');
  return ready(
    startCommand(process.execPath, [...nodeFlags, program], { ...options, environment }),
  );
}

/** The service, once it has said where it listens. */
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

/** The processes that this one has started, and those that they have. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const children = (await processes()).filter(({ parent }) => parent === pid);
  const others = await Promise.all(children.map((child) => descendantsOf(child.pid)));
  return [...children.map((child) => child.pid), ...others.flat()];
}

/** Those that have not ended. */
export async function runningOf(pids: number[]): Promise<number[]> {
  return (await processes()).map(({ pid }) => pid).filter((pid) => pids.includes(pid));
}

async function processes(): Promise<{ pid: number; parent: number }[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  return [...stdout.matchAll(/^ *(\d+) +(\d+) [^Z]/gm)].map(([, pid, parent]) => ({
    pid: Number(pid),
    parent: Number(parent),
  }));
}
