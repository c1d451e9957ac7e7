/** Runs the built command line as a person does: as a process of its own, in a pipe or in a real terminal. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { buildCli } from '../../client/build.js';
import { eventually } from '../helpers/eventually.js';
import { temporaryFolder } from '../helpers/workspace.js';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Setting {
  env?: Record<string, string>;
  /** What is piped in; nothing unless it is given. */
  input?: string;
}

export interface Running {
  stdout: () => string;
  stderr: () => string;
  /** Waits until that was printed, on either stream, and returns all that was. */
  sees: (text: string | RegExp) => Promise<string>;
  type: (text: string) => void;
  kill: (signal: NodeJS.Signals) => void;
  /** Reads its output no longer, as head does after a while. */
  leave: () => void;
  ended: Promise<Outcome>;
}

export interface Shell {
  /** The built program. */
  program: string;
  home: string;
  env: Record<string, string>;
  /** In a pipe, to its end. */
  run: (args: string[], setting?: Setting) => Promise<Outcome>;
  /** In a pipe, going on. */
  start: (args: string[], setting?: Setting) => Running;
  /** In a terminal of that width. */
  open: (args: string[], setting?: Setting & { columns?: number }) => Running;
  /** Logs in with the key, as the profile in use. */
  login: (url: string, key: string) => Promise<void>;
}

/** A home of its own, in which nothing is known of the outside. */
export async function createShell(): Promise<Shell> {
  const folder = await temporaryFolder();
  const program = path.join(folder, 'cli.mjs');
  const home = path.join(folder, 'home');
  await Promise.all([buildCli(program), mkdir(home)]);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TERM: 'xterm-256color',
    SHELL: '/bin/sh',
    LC_ALL: 'C.UTF-8',
  };
  const start: Shell['start'] = (args, { env: more = {}, input } = {}) =>
    watch(process.execPath, [program, ...args], { ...env, ...more }, input ?? '');
  const run: Shell['run'] = (args, setting) => start(args, setting).ended;
  return {
    program,
    home,
    env,
    start,
    run,
    open: (args, { env: more = {}, columns = 100 } = {}) => {
      const command = `stty cols ${columns} rows 40; exec ${[process.execPath, program, ...args].map(quoted).join(' ')}`;
      return watch('script', scriptArguments(command), { ...env, ...more });
    },
    login: async (url, key) => {
      const { code, stderr } = await run(['login', '--base-url', url], { input: key });
      if (code !== 0) throw new Error(`The login failed: ${stderr}`);
    },
  };
}

/** The program that makes terminals, which util-linux and the BSDs have, each in its own way. */
function scriptArguments(command: string): string[] {
  return process.platform === 'linux'
    ? ['-qfec', command, '/dev/null']
    : ['-q', '/dev/null', 'sh', '-c', command];
}

export const canOpenTerminals = has('script');

export function has(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Without input, the input stays open for what will be typed. */
function watch(file: string, args: string[], env: Record<string, string>, input?: string): Running {
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined);
  if (input !== undefined) child.stdin.end(input);
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === null) reject(new Error(`It was ended by ${String(signal)}: ${stderr}`));
      else resolve({ code, stdout, stderr });
    });
  });
  return {
    stdout: () => stdout,
    stderr: () => stderr,
    sees: (text) =>
      eventually(() => {
        const all = stdout + stderr;
        const isThere = typeof text === 'string' ? all.includes(text) : text.test(all);
        if (!isThere) throw new Error(`${String(text)} is not in:\n${all}`);
        return all;
      }, 20_000),
    type: (text) => child.stdin.write(text),
    kill: (signal) => child.kill(signal),
    leave: () => child.stdout.destroy(),
    ended,
  };
}
