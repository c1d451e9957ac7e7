/** PgBouncer in front of a test database. Tests that need it are skipped with a note where it is not installed. */
import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../../server/lib/net/free-port.js';
import { query } from '../helpers/database/database.js';
import { eventually } from '../helpers/eventually.js';
import { type Program, startCommand } from '../helpers/programs/process.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const pgbouncer = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(
  (file) => existsSync(file),
);

export const pgbouncerIsMissing = pgbouncer === undefined;

export interface Pooler {
  url: string;
  /** Its output so far. */
  log: () => string;
  stop: () => Promise<unknown>;
}

export async function startPgbouncer(
  databaseUrl: string,
  settings: Record<string, string>,
): Promise<Pooler> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const listenPort = await freePort();
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: String(listenPort),
    unix_socket_dir: '',
    auth_type: 'plain',
    ...settings,
  };
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${port}`,
    '[pgbouncer]',
    ...Object.entries(all).map(([name, value]) => `${name} = ${value}`),
  ];
  const program = await runPgbouncer((users) => [...lines, `auth_file = ${users}`].join('\n'), {
    username,
    password,
  });
  const url = `postgresql://${username}:${password}@127.0.0.1:${listenPort}${pathname}`;
  await eventually(() => query(url, 'SELECT 1'), 20_000);
  return { url, log: program.stderr, stop: () => program.end('SIGTERM') };
}

/** Starts it with these settings, which name the file of its only user. */
export async function runPgbouncer(
  settings: (usersFile: string) => string,
  { username, password }: { username: string; password: string },
): Promise<Program> {
  const folder = await temporaryFolder();
  const [file, users] = [path.join(folder, 'pgbouncer.ini'), path.join(folder, 'users.txt')];
  await writeFile(users, `"${username}" "${password}"\n`);
  await writeFile(file, settings(users));
  await chmod(folder, 0o755);
  // PgBouncer refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  return startCommand(pgbouncer ?? '', [file], {
    ...(isRoot ? { user: { uid: 65_534, gid: 65_534 } } : {}),
  });
}
