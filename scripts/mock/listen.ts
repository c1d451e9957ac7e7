/** Runs the mock on a port. */

import { once } from 'node:events';
import { createLog } from '../../server/config/log.js';
import { createServer } from '../../server/http/transport/server.js';
import type { Contract } from '../lib/contract.js';
import { createMock } from './app.js';

export interface RunningMock {
  url: string;
  stop: () => Promise<void>;
}

export interface ListenOptions {
  host: string;
  port: number;
  isDynamic: boolean;
}

export async function startMock(
  contract: Contract,
  { host, port, isDynamic }: ListenOptions,
): Promise<RunningMock> {
  const app = await createMock(contract, {
    isDynamic,
    log: createLog('warn'),
    onAnswer: (line) => {
      console.log(line);
    },
  });
  const { server, drain } = createServer(app);
  server.listen(port, host);
  await once(server, 'listening');
  return { url: `http://${host}:${port}`, stop: () => drain(1_000) };
}
