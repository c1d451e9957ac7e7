/** A Citus cluster on loopback: a coordinator and workers, each a PostgreSQL of its own. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../server/lib/net/free-port.js';

const run = promisify(execFile);

/** The PostgreSQL binaries with Citus; undefined if there are none. */
export const citusBin = findCitus();

export const installationHint =
  'The tests of Citus are skipped: set CITUS_BIN to the folder of the programs (initdb, pg_ctl) of a PostgreSQL 15 to 17 whose ' +
  'libraries have citus.so, or install Debian’s postgresql-15 and Citus 13.';

function findCitus(): string | undefined {
  const bin = process.env['CITUS_BIN'] ?? '/usr/lib/postgresql/15/bin';
  const library = path.join(bin, '..', 'lib', 'citus.so');
  return existsSync(path.join(bin, 'initdb')) && existsSync(library) ? bin : undefined;
}

export interface Node {
  port: number;
  /** The service's database on this server. */
  url: string;
  query: <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;
  /** Like `pg_ctl stop -m fast`: sessions end at once. */
  stop: () => Promise<void>;
  start: () => Promise<void>;
}

export interface CitusCluster {
  coordinator: Node;
  workers: Node[];
  /** A server that has not joined the cluster yet. */
  newNode: () => Promise<Node>;
  stop: () => Promise<void>;
}

const name = 'agents';

export async function startCitusCluster(): Promise<CitusCluster> {
  const bin = citusBin;
  if (bin === undefined) throw new Error(installationHint);
  // PostgreSQL refuses to run as root.
  const owner = process.getuid?.() === 0 ? await postgresUser() : undefined;
  const folder = await mkdtemp(path.join(tmpdir(), 'citus-'));
  await chmod(folder, 0o755);
  if (owner) await chown(folder, owner.uid, owner.gid);
  const nodes: Node[] = [];
  const program = (command: string, ...args: string[]) =>
    run(path.join(bin, command), args, { cwd: folder, ...owner });

  const newNode = async (): Promise<Node> => {
    const port = await freePort();
    const data = path.join(folder, String(port));
    await program('initdb', '--pgdata', data, '--auth=trust', '--username=postgres', '--no-sync');
    await appendFile(path.join(data, 'postgresql.conf'), settings(port, folder));
    const control = (...args: string[]) =>
      program('pg_ctl', '--pgdata', data, '--wait', '--silent', ...args);
    const start = async () => {
      await control('--log', `${data}.log`, 'start');
    };
    await start();
    const url = `postgresql://${name}@127.0.0.1:${port}/${name}`;
    const query: Node['query'] = (text, values) => queryOn(url, text, values);
    const administer = (text: string) =>
      queryOn(`postgresql://postgres@127.0.0.1:${port}/postgres`, text);
    await administer(`CREATE ROLE ${name} LOGIN SUPERUSER`);
    await administer(`CREATE DATABASE ${name} OWNER ${name}`);
    await query('CREATE EXTENSION citus');
    const stop = async () => {
      await control('--mode=fast', 'stop');
    };
    const node = { port, url, query, start, stop };
    nodes.push(node);
    return node;
  };

  const [coordinator, ...workers] = [await newNode(), await newNode(), await newNode()] as const;
  await coordinator.query(`SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
  for (const { port } of workers) {
    await coordinator.query(`SELECT citus_add_node('127.0.0.1', ${port})`);
  }
  return {
    coordinator,
    workers,
    newNode,
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop().catch(() => undefined)));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const settings = (port: number, folder: string) => `
port = ${port}
listen_addresses = '127.0.0.1'
unix_socket_directories = '${folder}'
shared_preload_libraries = 'citus'
max_connections = 200
max_prepared_transactions = 200
wal_level = logical
fsync = off
citus.node_conninfo = 'sslmode=disable'
`;

async function queryOn<Row extends object>(
  connectionString: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function postgresUser(): Promise<{ uid: number; gid: number }> {
  const users = await readFile('/etc/passwd', 'utf8');
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(users) ?? [];
  if (uid === undefined) throw new Error('There is no user postgres to run it as.');
  return { uid: Number(uid), gid: Number(gid) };
}
