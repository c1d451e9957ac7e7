/** Starts the mock as a separate process on a free port, and waits until it serves. */
import { connect } from 'node:net';
import { freePort } from '../../../server/lib/net/free-port.js';
import { startProgram } from '../programs/process.js';

export interface MockServer {
  url: string;
  port: number;
  /** Its output so far. */
  output: () => string;
  /** Stops it, and resolves to its exit code. */
  stop: () => Promise<number | string>;
}

export async function startMock(...options: string[]): Promise<MockServer> {
  const port = await freePort();
  const program = startProgram('scripts/mock.ts', ['--port', String(port), ...options]);
  await program.printed(new RegExp(`mocked at http://127\\.0\\.0\\.1:${port}`));
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    output: () => program.stdout() + program.stderr(),
    stop: () => program.end('SIGTERM'),
  };
}

/** Whether anything listens on the URL. */
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
