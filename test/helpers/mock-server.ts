/** The mock as a person starts it: a process of its own on a free port, awaited until it serves. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '../../server/store/embedded/free-port.js';
import { root } from './workspace.js';

export interface MockServer {
  url: string;
  port: number;
  /** Everything that it has printed so far. */
  output: () => string;
  /** Asks it to end, and resolves to its exit code. */
  stop: () => Promise<number | null>;
}

export async function startMock(): Promise<MockServer> {
  const port = await freePort();
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'scripts/mock.ts', '--port', String(port)],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const url = `http://127.0.0.1:${port}`;
  const output = await untilItSays(child, `mocked at ${url}`);
  return {
    url,
    port,
    output,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      return child.exitCode;
    },
  };
}

/** Collects what the process prints; resolves when it has said the words, rejects if it ends before. */
async function untilItSays(child: ChildProcess, words: string): Promise<() => string> {
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes(words)) resolve();
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.once('exit', () => {
      reject(new Error(`The mock ended before it served:\n${printed}`));
    });
  });
  return () => printed;
}

/** Whether anything listens there. */
export function isServed(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
