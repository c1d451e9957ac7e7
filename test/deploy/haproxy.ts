/** HAProxy with the settings of a test. */
import { chmod, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from '../helpers/eventually.js';
import { startCommand } from '../helpers/programs/process.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

export interface Haproxy {
  /** Resolves when HAProxy has noticed that the server is up, or down. */
  noticed: (backend: string, server: string, state: 'UP' | 'DOWN') => Promise<void>;
  stop: () => Promise<unknown>;
}

export async function startHaproxy(settings: string): Promise<Haproxy> {
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  const file = path.join(folder, 'haproxy.cfg');
  const socket = path.join(folder, 'stats');
  await writeFile(file, `global\n    stats socket ${socket}\n\n${settings}`);
  const program = startCommand('haproxy', ['-db', '-f', file]);
  return {
    noticed: (backend, server, state) =>
      eventually(async () => {
        const found = await stateOf(socket, backend, server);
        if (!found.startsWith(state)) {
          throw new Error(`${backend}/${server} is "${found}" in HAProxy: ${program.stderr()}`);
        }
      }),
    stop: () => program.end('SIGTERM'),
  };
}

async function stateOf(socket: string, backend: string, server: string): Promise<string> {
  const connection = connect(socket);
  connection.end('show stat\n');
  const [header = '', ...rows] = (await text(connection)).split('\n');
  const column = header.split(',').indexOf('status');
  const row = rows.find((line) => line.startsWith(`${backend},${server},`));
  return row?.split(',')[column] ?? '';
}
