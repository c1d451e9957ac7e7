/** Runs the built command line in its own process, in a pipe or in a real terminal. */
import { spawn, spawnSync } from 'node:child_process';
import { beforeAll } from '@jest/globals';
import { shellQuote } from '../../client/cli/shell-quote.js';
import { builtCli } from './built-client.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

/** Well-formed, but not accepted by any service. */
export const exampleKey = 'ahs_EXAMPLE0000000000000EXAMPLE000000000000017nhgM';

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  /** Standard input; empty by default. */
  input?: string;
}

export interface RunningCommand {
  stdout: () => string;
  /** Waits until the text has been printed on either stream, and resolves to the whole output. */
  waitFor: (text: string) => Promise<string>;
  type: (text: string) => void;
  kill: (signal: NodeJS.Signals) => void;
  /** Stops reading the output, as head does. */
  closeOutput: () => void;
  completed: Promise<CommandResult>;
}

export interface Shell {
  readonly home: string;
  readonly env: Record<string, string>;
  /** The command line to run these arguments in a shell script. */
  command: (args: string[]) => string;
  /** Runs a command in a pipe until it ends. */
  run: (args: string[], options?: RunOptions) => Promise<CommandResult>;
  /** Starts a command in a pipe. */
  start: (args: string[], options?: RunOptions) => RunningCommand;
  /** Starts a command in a terminal of that width. */
  openTerminal: (args: string[], options?: RunOptions & { columns?: number }) => RunningCommand;
  /** Saves the key in the default profile. */
  login: (url: string, key: string) => Promise<void>;
}

/** A shell for the tests of a file, with its own home directory and a minimal environment. */
export function useShell(): Shell {
  let program: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    program = await builtCli();
    env = {
      PATH: process.env['PATH'] ?? '',
      HOME: await temporaryFolder(),
      TERM: 'xterm-256color',
      SHELL: '/bin/sh',
      LC_ALL: 'C.UTF-8',
    };
  });
  const start: Shell['start'] = (args, { env: added = {}, input = '' } = {}) =>
    startProcess(process.execPath, [program, ...args], { ...env, ...added }, input);
  const run: Shell['run'] = (args, options) => start(args, options).completed;
  const command = (args: string[]) =>
    [process.execPath, program, ...args].map(shellQuote).join(' ');
  return {
    get home() {
      return env['HOME'] ?? '';
    },
    get env() {
      return env;
    },
    command,
    start,
    run,
    openTerminal: (args, { env: added = {}, columns = 100 } = {}) => {
      const line = `stty cols ${columns} rows 40; exec ${command(args)}`;
      return startProcess('script', scriptArguments(line), { ...env, ...added });
    },
    login: async (url, key) => {
      const { code, stderr } = await run(['login', '--base-url', url], { input: key });
      if (code !== 0) throw new Error(`The login failed: ${stderr}`);
    },
  };
}

/** `script` opens a terminal; its arguments differ between util-linux and the BSDs. */
function scriptArguments(command: string): string[] {
  return process.platform === 'linux'
    ? ['-qfec', command, '/dev/null']
    : ['-q', '/dev/null', 'sh', '-c', command];
}

export const canOpenTerminals = isInstalled('script');

export function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

/** Without input, standard input stays open for typing. */
function startProcess(
  file: string,
  args: string[],
  env: Record<string, string>,
  input?: string,
): RunningCommand {
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined);
  if (input !== undefined) child.stdin.end(input);
  const completed = new Promise<CommandResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === null) reject(new Error(`The command was ended by ${String(signal)}: ${stderr}`));
      else resolve({ code, stdout, stderr });
    });
  });
  return {
    stdout: () => stdout,
    waitFor: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if ((stdout + stderr).includes(text)) resolve(stdout + stderr);
        };
        child.stdout.on('data', check);
        child.stderr.on('data', check);
        check();
        const fail = () => {
          const end = (stdout + stderr).slice(-1000);
          reject(new Error(`The command ended without printing ${text}. It printed:\n${end}`));
        };
        completed.then(fail, fail);
      }),
    type: (text) => child.stdin.write(text),
    kill: (signal) => child.kill(signal),
    closeOutput: () => child.stdout.destroy(),
    completed,
  };
}
